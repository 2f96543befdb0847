/** A page follows its own player's state, and is loaded again when it would show another's. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { answerJson, browser, openBrowser } from "./browser.js";

const { isLeftByPlayer, PlayerWatch } = await import("../../static/portal/js/player-watch.js");

/** @type {string[]} */
let shown;

beforeEach(() => {
  openBrowser();
  shown = [];
});

/** @param {string} player */
function createWatch(player) {
  const watch = new PlayerWatch({ player, stateUrl: "/state" });
  watch.addEventListener("state", (event) => shown.push(/** @type {CustomEvent} */ (event).detail.balance));
  return watch;
}

/**
 * @param {string} player
 * @param {string} balance
 * @param {{ isGuest?: boolean }} [more]
 */
function answerFor(player, balance, { isGuest = false } = {}) {
  browser.answer = () => answerJson({ player, isGuest, balance, changesToken: "" });
}

test("another player's state is not shown: the page is loaded again", async () => {
  const watch = createWatch("7");
  answerFor("7", "10");
  watch.read();
  await browser.wait();
  answerFor("8", "99");
  watch.read();
  await browser.wait();
  assert.deepEqual([shown, browser.visited], [["10"], ["/play/"]]);
});

for (const { player, isLeft } of [{ player: "", isLeft: true }, { player: "8", isLeft: false }]) {
  test(`the page that is loaded again says whether its player logged out, if it shows player "${player}"`, async () => {
    const watch = createWatch("7");
    answerFor(player, "1000");
    watch.read();
    await browser.wait();
    assert.deepEqual([isLeftByPlayer(), isLeftByPlayer()], [isLeft, false]);
  });
}

test("a log-out from another page says nothing here", async () => {
  const watch = createWatch("7");
  answerFor("", "1000");
  watch.read();
  await browser.wait();
  browser.window.location.pathname = "/play/another/";
  assert.deepEqual([isLeftByPlayer(), isLeftByPlayer()], [false, false]);
});

test("a visitor who becomes a guest keeps the page", async () => {
  const watch = createWatch("");
  answerFor("9", "999");
  watch.hold();
  watch.setPlayer("9");
  watch.release();
  await browser.wait();
  assert.deepEqual([shown, browser.visited], [["999"], []]);
});

test("a state from before the visitor's first bet does not load the guest's page again", async () => {
  const watch = createWatch("");
  let answerOld = () => {};
  browser.answer = () => new Promise((resolve) => { answerOld = () => resolve(answerJson({ player: "", balance: "1000", changesToken: "" })); });
  watch.read();
  await browser.wait();
  watch.hold();
  watch.setPlayer("9");
  answerOld();
  answerFor("9", "999");
  watch.release();
  await browser.wait();
  assert.deepEqual([shown, browser.visited], [["999"], []]);
});

for (const { isGuest, outcome } of [{ isGuest: true, outcome: [["999"], []] }, { isGuest: false, outcome: [[], ["/play/"]] }]) {
  test(`a visitor's page ${isGuest ? "follows the guest" : "is loaded again for the log-in"} of another tab`, async () => {
    const watch = createWatch("");
    answerFor("9", "999", { isGuest });
    watch.read();
    await browser.wait();
    assert.deepEqual([shown, browser.visited], outcome);
  });
}

test("a guest's page is loaded again if another guest plays in the browser", async () => {
  const watch = createWatch("8");
  answerFor("9", "999", { isGuest: true });
  watch.read();
  await browser.wait();
  assert.deepEqual([shown, browser.visited], [[], ["/play/"]]);
});
