/** Amounts are exact, however many digits they have. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { formatAmount, formatBrief, formatPlain, listChipValues, parseExact, parseUnits } from "../../static/portal/js/money.js";

test("an amount with twelve digits before the point and eight after it is shown digit by digit", () => {
  assert.equal(formatAmount(parseUnits("123456789012.12345678", 8), 8), "123,456,789,012.12345678");
});

test("a text is parsed to smallest units, and digits beyond them are cut off", () => {
  const cases = /** @type {const} */ ([
    ["0", 2, 0n], ["52.5", 2, 5250n], ["-0.05", 2, -5n], ["0.019", 2, 1n], ["7", 0, 7n], ["1000.9", 0, 1000n], ["0.00000001", 8, 1n],
  ]);
  for (const [text, decimals, units] of cases) assert.equal(parseUnits(text, decimals), units, text);
});

test("an amount for the interface has no zeros behind it and no commas", () => {
  assert.deepEqual(["52.50", "-0.05", "1000.00", "100"].map((text) => formatPlain(parseUnits(text, 2), 2)), ["52.5", "-0.05", "1000", "100"]);
});

test("an amount for people has all its decimals and thousands apart", () => {
  assert.deepEqual([0n, 5n, -123456n, 100000000n].map((units) => formatAmount(units, 2)), ["0.00", "0.05", "−1,234.56", "1,000,000.00"]);
});

test("an amount on a chip is as short as it can be", () => {
  assert.deepEqual([100000n, 250n, 2500n, 110000n].map((units) => formatBrief(units, 2)), ["1K", "2.5", "25", "1100"]);
});

test("a small amount on a chip is short too", () => {
  assert.deepEqual([1n, 50000n, 250000n, 1000000n].map((units) => formatBrief(units, 8)), ["10n", "500µ", "2.5m", "0.01"]);
  assert.equal(formatBrief(200000000n, 2), "2M");
});

test("chips follow the limits: the lowest is the minimum, and none is above the maximum", () => {
  assert.deepEqual(listChipValues(100n, 2500n), [100n, 500n, 2500n]);
  assert.deepEqual(listChipValues(5000n, 50000n), [5000n, 25000n]);
  assert.deepEqual(listChipValues(7n, 7n), [7n]);
  assert.deepEqual(listChipValues(0n, 30n), [1n, 5n, 25n]);
});

test("numbers in JSON keep their own texts, and everything else stays as it is", () => {
  const text = '{"a": 0.10000000000000000001, "b": [1e2, -5, "7.0"], "c": {"d\\"1": true, "e": null}, "f": "x: 1, 2"}';
  assert.deepEqual(parseExact(text), {
    a: "0.10000000000000000001", b: ["1e2", "-5", "7.0"], c: { 'd"1': true, e: null }, f: "x: 1, 2",
  });
});

test("what is no JSON is refused", () => {
  for (const text of ["", "<html>", "01", '{"a": 1', "1 2"]) assert.throws(() => parseExact(text), SyntaxError, text);
});
