/** The chance of a ten below an ace. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { computeTenChance, describePercent } from "../../apps/blackjack/static/blackjack/chance.js";

test("tens that are face up are not among the unseen cards", () => {
  assert.deepEqual(computeTenChance(["HK", "D10", "S1"], 8), { tens: 126, unseen: 413 });
  assert.equal(describePercent(126, 413), "30.51");
});

test("an endless shoe always has four tens in thirteen cards", () => {
  assert.deepEqual(computeTenChance(["HK", "D10", "S1"], 9), { tens: 4, unseen: 13 });
});
