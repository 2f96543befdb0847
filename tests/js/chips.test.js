/** The chips of a table: which there are, which can be paid for, and the stack of a stake. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { FakeElement } from "./browser.js";

/** An element with attributes and children. */
class Node extends FakeElement {
  /** @type {Record<string, string>} */
  attributes = {};
  /** @type {Node[]} */
  children = [];
  tabIndex = -1;
  setAttribute(/** @type {string} */ name, /** @type {string} */ value) { this.attributes[name] = value; }
  append(/** @type {Node[]} */ ...nodes) { this.children.push(...nodes); }
  replaceChildren = (/** @type {Node[]} */ ...nodes) => { this.children = nodes; };
  focus() { return this; }
  get childElementCount() { return this.children.length; }
}

Object.assign(document, { createElement: () => new Node() });
const { ChipTray, createChipStack } = await import("../../static/portal/js/chips.js");
const { Currency } = await import("../../static/portal/js/currency.js");
const FUN = new Currency("FUN", 2);

/** @param {{ minimum: bigint, maximum: bigint, stakeStep?: bigint }} limits */
function openTray(limits) {
  const element = new Node();
  return { element, tray: new ChipTray(/** @type {any} */ (element), { currency: FUN, ...limits }) };
}

/**
 * @param {Node} element
 * @param {string} name
 */
function listAttributes(element, name) {
  return element.children.map(({ attributes }) => attributes[name]);
}

test("chips are multiples of the step of a stake within the limits", () => {
  assert.deepEqual(openTray({ minimum: 100n, maximum: 2500n }).tray.values, [100n, 500n, 2500n]);
  assert.deepEqual(openTray({ minimum: 101n, maximum: 1100n, stakeStep: 2n }).tray.values, [102n, 500n]);
});

test("a chip of all that is left can be paid for, and a higher one cannot", () => {
  const { element, tray } = openTray({ minimum: 100n, maximum: 2500n });
  tray.show(500n);
  assert.deepEqual(listAttributes(element, "aria-disabled"), ["false", "false", "true"]);
});

test("arrow keys go round the tray", () => {
  const { element, tray } = openTray({ minimum: 100n, maximum: 2500n });
  const press = (/** @type {string} */ key) => {
    element.dispatchEvent(Object.assign(new Event("keydown"), { key }));
    return tray.value;
  };
  assert.deepEqual(["ArrowLeft", "ArrowRight", "ArrowRight", "a"].map(press), [2500n, 100n, 500n, 500n]);
  assert.deepEqual(listAttributes(element, "aria-checked"), ["false", "true", "false"]);
});

test("new limits keep the place of the chosen chip as far as there is one", () => {
  const { tray } = openTray({ minimum: 100n, maximum: 2500n });
  tray.fit(100n, 100n);
  assert.equal(tray.value, 100n);
});

test("a stack has the fewest chips, the highest first, and five at most", () => {
  const values = [100n, 500n, 2500n];
  const listChips = (/** @type {bigint} */ units) =>
    /** @type {any} */ (createChipStack(units, values, FUN)).children.map((/** @type {Node} */ chip) => chip.children[0].textContent);
  assert.deepEqual(listChips(2500n), ["25"]);
  assert.deepEqual(listChips(3700n), ["25", "5", "5", "1", "1"]);
  assert.deepEqual(listChips(4900n), ["25", "5", "5", "5", "5"]);
});
