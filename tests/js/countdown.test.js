/** The countdown of a table: what is shown, and what a screen reader says of it. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { openPage } from "./support.js";

class Part {
  textContent = "";
  /** @type {Record<string, string>} */
  style = {};
  classes = new Set();
  classList = { toggle: (/** @type {string} */ name, /** @type {boolean} */ isOn) => (isOn ? this.classes.add(name) : this.classes.delete(name)) };
}

openPage("apps/portal/script_words.py", "apps/tables/words.py");
Object.assign(globalThis, { HTMLElement: Part });
const { CountdownView } = await import("../../static/tables/js/countdown-view.js");

/**
 * Open a countdown whose time the test sets.
 * @param {import("node:test").TestContext} context
 */
function openCountdown(context) {
  const [root, text, bar] = [new Part(), new Part(), new Part()];
  /** @type {Record<string, Part>} */
  const parts = { clock: root, "clock-text": text, "clock-bar": bar };
  const table = { querySelector: (/** @type {string} */ selector) => parts[selector.split('"')[1]] };
  const clock = { leftMs: 0, countLeft: () => clock.leftMs };
  /** @type {string[]} */
  const said = [];
  const view = new CountdownView(/** @type {any} */ (table), { clock: /** @type {any} */ (clock), say: (words) => said.push(words) });
  /** Show the countdown at these times, and return what is said of each. */
  const show = (/** @type {number[]} */ times, { deadlineMs = 20_000, isOwn = true } = {}) => times.map((leftMs) => {
    clock.leftMs = leftMs;
    said.length = 0;
    view.show({ words: "live-your-time", deadlineMs, totalMs: 20_000, isOwn });
    return said.join();
  });
  const close = () => view.show(null, "Waiting for players");
  context.after(close); // otherwise it would tick on
  return { root, text, bar, show, close };
}

test("the last ten and the last five seconds are said once, to whom the table waits for", (context) => {
  const { show } = openCountdown(context);
  assert.deepEqual(show([20_000, 10_001, 10_000, 9000, 5000, 4800, 200, 0]), ["", "", "10 seconds left.", "", "5 seconds left.", "", "", ""]);
  assert.deepEqual(show([9500, 5000], { deadlineMs: 40_000 }), ["10 seconds left.", "5 seconds left."]);
  assert.deepEqual(show([10_000, 5000], { deadlineMs: 60_000, isOwn: false }), ["", ""]);
});

test("who comes when less is left is told the last five seconds alone", (context) => {
  const { show } = openCountdown(context);
  assert.deepEqual(show([8000, 7000, 5000]), ["", "", "5 seconds left."]);
  assert.deepEqual(show([3000], { deadlineMs: 40_000 }), [""]);
});

test("the bar shows how much is left, and nothing without a countdown", (context) => {
  const { root, text, bar, show, close } = openCountdown(context);
  show([5001]);
  assert.deepEqual([text.textContent, bar.style.scale, root.classes.has("soon"), root.classes.has("own")], ["Your time: 6 s", "0.25005 1", false, true]);
  show([5000]);
  assert.equal(root.classes.has("soon"), true);
  close();
  assert.deepEqual([text.textContent, bar.style.scale, root.classes.has("own")], ["Waiting for players", "0 1", false]);
});
