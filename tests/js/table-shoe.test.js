/** A table's shoe, against the vectors of docs/fairness.md. */

import assert from "node:assert/strict";
import { test } from "node:test";

import "./support.js";
import { computeChainSeed, dealRound, layOutShoe } from "../../static/tables/js/table-shoe.js";
import { writeCardCode } from "../../static/tables/js/wire.js";

const SEED_3 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const TWO_DECKS = Array.from({ length: 52 }, () => 2);
const SUITS = "HDCS";
const RANKS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];

/** @param {string[]} codes */
function countWithout(codes) {
  const counts = [...TWO_DECKS];
  for (const code of codes) counts[SUITS.indexOf(code[0]) * 13 + RANKS.indexOf(code.slice(1))] -= 1;
  return counts;
}

test("each seed of a chain is the SHA-256 of the one below it", async () => {
  assert.equal(await computeChainSeed(SEED_3, 1), "a8ae6e6ee929abea3afcfc5258c8ccd6f85273e0d4626d26c7279f3250f77c8e");
  assert.equal(await computeChainSeed(SEED_3, 2), "2b7777de6aec4c7e96d8d9c3357667db6270c1c51144ed62f096a4cd979332a2");
  assert.equal(await computeChainSeed(SEED_3, 3), "7b885b56f9eb3e9971df67a97cb54bd9f0af9aec8c2d4042166214d17056b9b5");
});

test("a second round is dealt from the cards that the first has left", async () => {
  const common = { clientSeed: "anna|ben", decks: 2 };
  const seed1 = await computeChainSeed(SEED_3, 2);
  const first = await dealRound({ ...common, seed: seed1, nonce: 1, shoe: TWO_DECKS }, 10);
  assert.equal(first.join(" "), "DQ H3 D8 H4 DK S2 D2 S5 H1 D8");
  const seed2 = await computeChainSeed(SEED_3, 1);
  const second = await dealRound({ ...common, seed: seed2, nonce: 2, shoe: countWithout(first) }, 10);
  assert.equal(second.join(" "), "CQ C6 C6 H10 DJ C7 D2 CK D4 S6");
});

test("an empty shoe is filled with the cards that do not lie on the table, and the stream goes on", async () => {
  const shoe = Array.from({ length: 52 }, () => 0);
  for (const face of [0, 1, 17, 51]) shoe[face] = 1;
  const round = { seed: SEED_3, clientSeed: "anna|ben", nonce: 3, shoe, decks: 1 };
  const cards = await dealRound(round, 10);
  assert.equal(cards.join(" "), "D5 H2 H1 SK SQ S4 H10 D6 C5 S10");
});

test("a deck that is dealt to its end has each card once more and then no other", async () => {
  const round = { seed: SEED_3, clientSeed: "", nonce: 1, shoe: Array.from({ length: 52 }, () => 1), decks: 1 };
  const cards = await dealRound(round, 60);
  assert.equal(cards.length, 52);
  assert.equal(new Set(cards).size, 52);
});

test("an endless shoe deals the cards that docs/fairness.md lists", async () => {
  const round = { seed: SEED_3, clientSeed: "punto", nonce: 0, shoe: null, decks: 0 };
  assert.equal((await dealRound(round, 10)).join(" "), "S1 C3 H7 H10 H3 D7 D2 D6 D6 S8");
});

test("faces are laid out pass by pass", () => {
  const counts = Array.from({ length: 52 }, () => 0);
  counts[0] = 2;
  counts[13] = 1;
  counts[51] = 2;
  assert.deepEqual(layOutShoe(counts), [0, 13, 51, 0, 51]);
});

test("cards of the wire have the codes of the page's cards", () => {
  assert.equal(writeCardCode({ suit: "spades", rank: 13 }), "SK");
  assert.equal(writeCardCode({ suit: "hearts", rank: "1" }), "H1");
  assert.equal(writeCardCode({ suit: "clubs", rank: 10 }), "C10");
});
