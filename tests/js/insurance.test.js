/** The field for an amount of insurance up to half of the bet. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { openPage } from "./support.js";

class Field extends EventTarget {
  value = "";
  textContent = "";
  isInvalid = false;
  setAttribute = () => { this.isInvalid = true; };
  removeAttribute = () => { this.isInvalid = false; };
  focus() { return this; }
}

openPage("apps/portal/words.py", "apps/portal/script_words.py", "apps/blackjack/words.py");
Object.assign(globalThis, { HTMLElement: Field, HTMLInputElement: Field });
const { InsuranceAmount } = await import("../../apps/blackjack/static/blackjack/insurance.js");
const { Currency } = await import("../../static/portal/js/currency.js");

/** @param {bigint} maximum */
function openField(maximum) {
  const [input, limits] = [new Field(), new Field()];
  const root = { querySelector: (/** @type {string} */ selector) => (selector.includes("insurance-amount") ? input : limits) };
  const options = { currency: new Currency("FUN", 2), onChange: () => null, onConfirm: () => null };
  const amount = new InsuranceAmount(/** @type {any} */ (root), options);
  amount.ask("a round", maximum);
  return { input, amount };
}

test("half of the bet is offered, and needs no amount", () => {
  const { input, amount } = openField(500n);
  assert.equal(input.value, "5.00");
  assert.deepEqual(amount.readPeekData(), { acceptedInsurance: true });
});

test("an amount is from the smallest unit to half of the bet", () => {
  const { input, amount } = openField(500n);
  for (const [typed, units] of /** @type {[string, bigint | null][]} */ ([["0.01", 1n], ["4.99", 499n], ["5", 500n], ["5.01", null], ["0", null], ["all", null]])) {
    input.value = typed;
    assert.equal(amount.units, units, typed);
    assert.equal(amount.readPeekData() === null, units === null);
    assert.equal(input.isInvalid, units === null);
    input.dispatchEvent(new Event("input"));
  }
  input.value = "2.50";
  assert.deepEqual(amount.readPeekData(), { acceptedInsurance: true, insuranceAmount: "2.5" });
});

test("what was typed stays during its round", () => {
  const { input, amount } = openField(500n);
  input.value = "2";
  amount.ask("a round", 500n);
  assert.equal(input.value, "2");
  amount.ask("the next round", 1000n);
  assert.equal(input.value, "10.00");
});
