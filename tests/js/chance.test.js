/** The chance of a ten below an ace. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { openPage } from "./support.js";

openPage("apps/blackjack/words.py");
const { computeTenChance, describeTenChance, ENDLESS_DECKS } = await import("../../apps/blackjack/static/blackjack/chance.js");

const SEEN = ["HK", "D10", "S1"];
/** Two decks before their last rounds: every ace and every ten is left, and nothing else. */
const SHOE = Array.from({ length: 52 }, (_, face) => ([0, 9, 10, 11, 12].includes(face % 13) ? 2 : 0));

test("tens that are face up are not among the unseen cards", () => {
  assert.deepEqual(computeTenChance(SEEN, { decks: 8 }), { tens: 126, unseen: 413 });
});

test("a shoe that lasts over rounds has the cards that were left before the round", () => {
  assert.deepEqual(computeTenChance(SEEN, { decks: 2, shoe: SHOE }), { tens: 30, unseen: 37 });
});

test("a shoe that ran empty during the deal was filled with all cards but those on the table", () => {
  const shoe = Array.from({ length: 52 }, (_, face) => (face === 12 ? 2 : 0));
  assert.deepEqual(computeTenChance(SEEN, { decks: 2, shoe }), { tens: 30, unseen: 101 });
  const three = Array.from({ length: 52 }, (_, face) => (face === 12 ? 3 : 0)); // the hidden card was the first after filling
  assert.deepEqual(computeTenChance(SEEN, { decks: 2, shoe: three }), { tens: 30, unseen: 101 });
});

test("an endless shoe always has four tens in thirteen cards", () => {
  assert.deepEqual(computeTenChance(SEEN, { decks: ENDLESS_DECKS }), { tens: 4, unseen: 13 });
});

test("the chance is written in the signs of the page's language", () => {
  assert.deepEqual(describeTenChance(SEEN, { decks: 8 }), { isEndless: false, values: { chance: "30.51", tens: "126", unseen: "413" } });
  Object.assign(document.documentElement.dataset, { decimal: ",", group: "." });
  assert.equal(describeTenChance(SEEN, { decks: 8 }).values.chance, "30,51");
  assert.deepEqual(describeTenChance(SEEN, { decks: ENDLESS_DECKS }), { isEndless: true, values: { chance: "30,77", tens: "4", unseen: "13" } });
});
