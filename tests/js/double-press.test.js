// @ts-check
/** The second press of a double click. */

import assert from "node:assert/strict";
import { test } from "node:test";

class Button extends EventTarget {
  /** @param {Record<string, string>} dataset */
  constructor(dataset) {
    super();
    this.dataset = dataset;
  }

  get closest() { return () => this; }
}

const page = new EventTarget();
Object.assign(globalThis, { document: page, Element: Button });
const { noteSent } = await import("../../static/portal/js/double-press.js");
const [deal, surrender] = [new Button({ part: "deal" }), new Button({ choice: "Surrender" })];

/**
 * Press a button, and return whether it is told so.
 * @param {Button} button
 * @param {number} ms
 * @param {{ x?: number, detail?: number, pointerType?: string }} [options]  `detail`: how many clicks the system counts in
 *   a row; 0 for a click by a key
 */
function press(button, ms, { x = 100, detail = 1, pointerType = "mouse" } = {}) {
  const members = { timeStamp: ms, clientX: x, clientY: 100, target: button, pointerType };
  if (detail) page.dispatchEvent(createEvent("pointerdown", members));
  return page.dispatchEvent(createEvent("click", { timeStamp: ms, detail, target: button }));
}

/**
 * @param {string} type
 * @param {Record<string, unknown>} members
 */
function createEvent(type, members) {
  const event = new Event(type, { cancelable: true });
  for (const [name, value] of Object.entries(members)) Object.defineProperty(event, name, { value });
  return event;
}

test("the second press of a double click does not press the button that has come in the first one's place", () => {
  assert.equal(press(deal, 1000), true);
  noteSent();
  assert.deepEqual([press(surrender, 1150), press(surrender, 1390), press(surrender, 1400)], [false, false, true]);
});

test("a button elsewhere is pressed at once", () => {
  press(deal, 2000);
  noteSent();
  assert.deepEqual([press(surrender, 2100, { x: 110 }), press(surrender, 2200, { x: 160 })], [false, true]);
});

test("the second press of a double click does not press the same button again, also if it was made anew", () => {
  press(surrender, 3000);
  noteSent();
  const anew = new Button({ choice: "Surrender" });
  assert.equal(press(anew, 3080, { detail: 2 }), false);
  assert.equal(press(anew, 3200, { detail: 3 }), false); // a triple click
});

test("a double click is as slow as the player's system lets it be, and clicks that follow it press", () => {
  press(deal, 3500);
  noteSent();
  assert.equal(press(deal, 4050, { detail: 2 }), false);
  assert.equal(press(deal, 4500, { detail: 3 }), true);
});

test("the second tap of a finger does not press the same button again, since not every browser counts taps", () => {
  press(deal, 4600, { pointerType: "touch" });
  noteSent();
  assert.equal(press(deal, 4750, { pointerType: "touch" }), false);
  assert.equal(press(deal, 5050, { pointerType: "touch" }), true);
});

test("clicks that are no double click press the same button at once, and so does any press after one that sent nothing", () => {
  press(deal, 5200);
  noteSent();
  assert.equal(press(deal, 5400), true);
  press(deal, 5700);
  assert.equal(press(surrender, 5780, { detail: 2 }), true);
});

test("a click without a pointer, as screen readers send it, is pressed also after a second press that did nothing", () => {
  press(deal, 6000);
  noteSent();
  assert.equal(press(surrender, 6100), false);
  assert.equal(page.dispatchEvent(createEvent("click", { timeStamp: 6900, detail: 1, target: surrender })), true);
});

test("keys press at once", () => {
  press(deal, 7000);
  noteSent();
  assert.equal(press(surrender, 7050, { detail: 0 }), true);
});
