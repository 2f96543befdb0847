/** The roads read the outcomes as baccarat's players do. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { describeOutcome, scoreHand } from "../../apps/baccarat/static/baccarat/score.js";
import { buildBigRoad, fitBeadPlate } from "../../static/portal/js/roads.js";

/** @param {string} winners */
function makeOutcomes(winners) {
  return Array.from(winners, (winner) => ({ winner: /** @type {"p" | "b" | "t"} */ (winner), playerPair: false, bankerPair: false }));
}

/** @param {string} winners */
function drawBigRoad(winners) {
  return buildBigRoad(makeOutcomes(winners)).map(({ winner, column, row, ties }) => `${winner}${column}.${row}${"t".repeat(ties)}`).join(" ");
}

test("a column goes down as long as one side wins, and the other side begins a new one", () => {
  assert.equal(drawBigRoad("ppbpp"), "p1.1 p1.2 b2.1 p3.1 p3.2");
});

test("a seventh win turns right, and a later column turns where it meets that tail", () => {
  assert.equal(drawBigRoad("pppppppbbbbbbb"), "p1.1 p1.2 p1.3 p1.4 p1.5 p1.6 p2.6 b2.1 b2.2 b2.3 b2.4 b2.5 b3.5 b4.5");
});

test("a tie marks the cell before it, a tie at the start the first cell", () => {
  assert.equal(drawBigRoad("ttpttbt"), "p1.1tttt b2.1t");
  assert.equal(drawBigRoad("tt"), "");
});

test("a bead plate that is full drops its oldest columns", () => {
  assert.equal(fitBeadPlate(makeOutcomes("p".repeat(72))).length, 72);
  assert.equal(fitBeadPlate(makeOutcomes("p".repeat(73))).length, 67);
  assert.equal(fitBeadPlate(makeOutcomes("p".repeat(78))).length, 72);
});

test("a side scores the last digit of its sum; tens and faces count nothing", () => {
  assert.deepEqual([["H1", "S9"], ["DJ", "C10"], ["H7", "H8", "H9"], ["SK", "S4"]].map(scoreHand), [0, 0, 4, 4]);
});

test("an outcome names the winner and the pairs of the first two cards", () => {
  assert.deepEqual(describeOutcome({ player: ["H3", "D3"], banker: ["S10", "SK"] }), { winner: "p", playerPair: true, bankerPair: false });
  assert.deepEqual(describeOutcome({ player: ["H3", "D4"], banker: ["S8", "H8", "H1"] }), { winner: "t", playerPair: false, bankerPair: true });
  assert.equal(describeOutcome({ player: ["H3", "D4"], banker: ["S9", "H9"] }).winner, "b");
});
