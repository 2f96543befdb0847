// @ts-check
/** A refill on a page that is loaded again afterwards. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { answerJson, browser, FakeElement, openBrowser } from "./browser.js";

const page = new FakeElement();
page.parts["[name=csrfmiddlewaretoken]"] = new FakeElement();
Object.assign(globalThis, { HTMLElement: FakeElement, HTMLButtonElement: FakeElement, HTMLInputElement: FakeElement });
Object.assign(document, { querySelector: page.querySelector });

const { PlayerWatch } = await import("../../static/portal/js/player-watch.js");
const { RefillOffer } = await import("../../static/portal/js/refill.js");

for (const { status, expected } of [{ status: 200, expected: ["the page again"] }, { status: 403, expected: ["0"] }]) {
  test(`a refill answered ${status} is shown by the page that is loaded again, or the balance by this one`, async () => {
    openBrowser();
    /** @type {string[]} */
    const shown = [];
    Object.assign(browser.window.location, { reload: () => shown.push("the page again") });
    const watch = new PlayerWatch({ player: "7", stateUrl: "/state" });
    watch.addEventListener("state", (event) => shown.push(/** @type {CustomEvent} */ (event).detail.balance));
    const box = new FakeElement();
    box.dataset = { url: "/refill", reload: "", currency: "FUN", decimals: "2" };
    for (const part of [".refill-text", "button", ".problem"]) box.parts[part] = new FakeElement();
    new RefillOffer(/** @type {any} */ (box), watch);
    browser.answer = async ({ url }) => {
      if (url === "/state") return answerJson({ player: "7", balance: status === 200 ? "1000" : "0", changesToken: "" });
      watch.read(); // the socket announces the refill before it is answered
      await browser.wait();
      return answerJson({ code: "REFILL_TAKEN" }, status);
    };
    box.parts.button.dispatchEvent(new Event("click"));
    await browser.wait();
    assert.deepEqual(shown, expected);
  });
}
