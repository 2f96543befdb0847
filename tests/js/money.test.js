/** Amounts are exact, however many digits they have. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { formatAmount, formatBrief, formatPlain, listChipValues, parseExact, parseUnits, readTyped } from "../../static/portal/js/money.js";

/** The signs of each language, as the page's `html` element has them (apps/portal/languages.py). */
const SIGNS = {
  en: { decimal: ".", group: "," }, de: { decimal: ",", group: "." }, es: { decimal: ",", group: "\u00a0" },
  fr: { decimal: ",", group: "\u00a0" }, pt: { decimal: ",", group: "." }, ja: { decimal: ".", group: "," },
};

/** @param {keyof typeof SIGNS} language */
function openPageIn(language) {
  const page = { documentElement: { lang: language, dataset: SIGNS[language] } };
  Object.defineProperty(globalThis, "document", { value: page, configurable: true });
}

/** @param {import("node:test").TestContext} context */
function leavePage(context) {
  context.after(() => Reflect.deleteProperty(globalThis, "document"));
}

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
  assert.equal(formatPlain(1000n, 0), "1000");
});

test("an amount for people has all its decimals and thousands apart", () => {
  assert.deepEqual([0n, 5n, -123456n, 100000000n].map((units) => formatAmount(units, 2)), ["0.00", "0.05", "−1,234.56", "1,000,000.00"]);
});

test("an amount is typed in the signs of each language, and what the page shows can be typed", (context) => {
  leavePage(context);
  for (const language of /** @type {(keyof typeof SIGNS)[]} */ (Object.keys(SIGNS))) {
    openPageIn(language);
    const { decimal, group } = SIGNS[language];
    assert.equal(readTyped(`2${decimal}50`, 2), 250n, language);
    assert.equal(readTyped(` 2${decimal}5 `, 2), 250n, language);
    assert.equal(readTyped(`1${group}250${decimal}05`, 2), 125005n, language);
    assert.equal(readTyped("12", 2), 1200n, language);
    assert.equal(readTyped("2.50", 2), 250n, language); // never 250
    assert.equal(readTyped("0.001", 8), 100000n, language);
    for (const units of [0n, 5n, 250n, 123456n, 100000000n, 123456789012n]) {
      for (const decimals of [0, 2, 8]) assert.equal(readTyped(formatAmount(units, decimals), decimals), units, `${language} ${units}`);
    }
    const none = [`2${decimal}505`, `1${group}2500`, `0${group}500`, `1${decimal}5${decimal}5`, `2${decimal}`, "-1", "1e2", "all", ""];
    for (const text of none) assert.equal(readTyped(text, 2), null, `${language} ${text}`);
  }
});

test("a comma is no decimal sign where it separates thousands", (context) => {
  leavePage(context);
  for (const language of /** @type {const} */ (["en", "ja"])) {
    openPageIn(language);
    assert.deepEqual(["2,50", "1,5", "1,500"].map((text) => readTyped(text, 2)), [null, null, 150000n]);
  }
});

test("a point with three digits after it is one thousand where it separates thousands, or nothing if it may be a fraction", (context) => {
  leavePage(context);
  openPageIn("de");
  assert.deepEqual([0, 2, 8].map((decimals) => readTyped("1.500", decimals)), [1500n, 150000n, null]);
  openPageIn("fr");
  assert.deepEqual([0, 2, 8].map((decimals) => readTyped("1.500", decimals)), [null, null, 150000000n]);
});

test("every space separates thousands in French, and Japanese digits may be wide", (context) => {
  leavePage(context);
  openPageIn("fr");
  for (const space of [" ", "\u00a0", "\u202f", "\u2009"]) assert.equal(readTyped(`1${space}250,05`, 2), 125005n, space);
  openPageIn("ja");
  assert.equal(readTyped("\u3000１，２５０．０５", 2), 125005n);
});

test("an amount on a chip is as short as it can be", () => {
  assert.deepEqual([100000n, 250n, 2500n, 110000n].map((units) => formatBrief(units, 2)), ["1K", "2.5", "25", "1100"]);
});

test("a small amount on a chip is short too", () => {
  assert.deepEqual([1n, 50000n, 250000n, 1000000n].map((units) => formatBrief(units, 8)), ["10n", "500µ", "2.5m", "0.01"]);
  assert.equal(formatBrief(200000000n, 2), "2M");
});

test("an amount on a chip has the decimal sign of the language", (context) => {
  leavePage(context);
  openPageIn("de");
  assert.deepEqual([50n, 100000n, 250n].map((units) => formatBrief(units, 2)), ["0,5", "1K", "2,5"]);
  assert.equal(formatBrief(250000n, 8), "2,5m");
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
