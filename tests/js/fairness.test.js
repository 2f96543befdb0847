/** The browser deals what docs/fairness.md says and what the server deals (tests/vectors/deals.json). */

import assert from "node:assert/strict";
import { test } from "node:test";

import { computeCommitment, dealCards, Stream } from "../../static/portal/js/fairness.js";
import { readText, VECTORS } from "./support.js";

const SEED = "0123456789abcdef".repeat(4);
const PAGE = readText("docs/fairness.md");

/** @param {string} row  the first cell of a row of the page's example */
function findExample(row) {
  const found = new RegExp(`^\\| ${row} \\| (.+) \\|$`, "m").exec(PAGE);
  assert.ok(found, row);
  return found[1].replaceAll("`", "");
}

/**
 * @param {number[]} integers
 * @returns {Stream}
 */
function createStream(integers) {
  const stream = new Stream(/** @type {any} */ (null), "");
  const left = [...integers];
  stream.next = async () => left.shift() ?? assert.fail("more integers were taken than there are");
  return stream;
}

test("the commitment of the documented example is the one of the page", async () => {
  assert.equal(await computeCommitment(SEED), findExample("commitment"));
});

test("the first floats of the documented example are those of the page", async () => {
  const stream = await Stream.open(SEED, "punto", 0);
  const floats = findExample("first four floats").split(", ");
  for (const float of floats) assert.equal((await stream.next() / 2 ** 32).toFixed(10), float);
});

test("the first cards of the documented example are those of the page", async () => {
  const cards = await dealCards(await Stream.open(SEED, "punto", 0), { decks: 8, count: 10 });
  assert.equal(cards.join(" "), findExample("first ten cards of eight decks"));
});

test("the browser deals the server's vectors", async () => {
  assert.ok(VECTORS.length >= 50);
  for (const { serverSeed, commitment, clientSeed, nonce, decks, cards } of VECTORS) {
    const stream = await Stream.open(serverSeed, clientSeed, nonce);
    assert.equal((await dealCards(stream, { decks, count: 16 })).join(" "), cards);
    assert.equal(await computeCommitment(serverSeed), commitment);
  }
});

test("a shoe of one deck deals each card once and then ends", async () => {
  const cards = await dealCards(await Stream.open(SEED, "punto", 1), { decks: 1, count: 60 });
  assert.equal(new Set(cards).size, 52);
  assert.equal(cards.length, 52);
});

test("an integer that would favour a position is discarded", async () => {
  // 2 ** 32 leaves 48 over 52. The low halves of 2 ** 30 * 52 and 0 * 52 are 0, so below it, and that of 1 * 52 is not.
  assert.equal(await createStream([2 ** 30, 0, 1]).drawBelow(52), 0);
  assert.equal(await createStream([2 ** 32 - 1]).drawBelow(52), 51);
  // A power of two favours nothing: 0 stands.
  assert.equal(await createStream([0]).drawBelow(64), 0);
});
