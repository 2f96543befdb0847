/** The roads show the outcomes in the way that baccarat's players know. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { describeOutcome, scoreHand } from "../../apps/baccarat/static/baccarat/score.js";
import { buildRoads, computePrediction, fitBeadPlate } from "../../apps/baccarat/static/baccarat/roads.js";
import vectors from "../vectors/roads.json" with { type: "json" };

/** @typedef {import("../../apps/baccarat/static/baccarat/roads.js").Outcome} Outcome */

/** @type {Record<string, Outcome["winner"]>} */
const WINNERS = { P: "player", B: "banker", T: "tie" };

/**
 * @param {string} winners
 * @returns {Outcome[]}
 */
function makeOutcomes(winners) {
  return Array.from(winners, (letter) => ({ winner: WINNERS[letter], playerPair: false, bankerPair: false }));
}

/** @param {{ column: number, row: number, winner?: string, colour?: string, ties?: number }[]} cells */
function writeCells(cells) {
  return cells.map(({ column, row, winner, colour, ties }) => `${(winner ?? colour ?? "").charAt(0)}${column}.${row}${"t".repeat(ties ?? 0)}`).join(" ");
}

/** @param {string} winners */
function drawBigRoad(winners) {
  return writeCells(buildRoads(makeOutcomes(winners)).bigRoad);
}

test("the roads are those that the server draws", () => {
  assert.ok(vectors.length >= 5);
  for (const { winners, roads } of vectors) {
    const drawn = Object.entries(buildRoads(makeOutcomes(winners))).map(([name, cells]) => [name, writeCells(cells)]);
    assert.deepEqual(Object.fromEntries(drawn), roads, winners);
  }
});

test("a column goes down as long as one side wins, and the other side begins a new one", () => {
  assert.equal(drawBigRoad("PPBPP"), "p0.0 p0.1 b1.0 p2.0 p2.1");
});

test("a seventh win turns right, and a later column turns where it meets that tail", () => {
  assert.equal(drawBigRoad("PPPPPPPBBBBBBB"), "p0.0 p0.1 p0.2 p0.3 p0.4 p0.5 p1.5 b1.0 b1.1 b1.2 b1.3 b1.4 b2.4 b3.4");
});

test("a tie marks the cell before it, a tie at the start the first cell", () => {
  assert.equal(drawBigRoad("TTPTTBT"), "p0.0tttt b1.0t");
  assert.equal(drawBigRoad("TT"), "t0.0tt");
});

test("a prediction is the mark that the win would add, and there is none where it would add nothing", () => {
  const none = { bigEyeBoy: "", smallRoad: "", cockroachPig: "" };
  assert.deepEqual(computePrediction([]), { player: none, banker: none });
  // The big eye boy begins with the second entry of the second column: the column before it has a cell beside that.
  assert.deepEqual(computePrediction(makeOutcomes("PPB")), { player: { ...none, bigEyeBoy: "blue" }, banker: { ...none, bigEyeBoy: "red" } });
});

test("what came true is what was predicted, at each place of a shoe", () => {
  for (const { winners } of vectors) {
    for (let at = 0; at < winners.length; at += 1) {
      if (winners[at] === "T") continue;
      const [before, after] = [winners.slice(0, at), winners.slice(0, at + 1)].map((text) => buildRoads(makeOutcomes(text)));
      const predicted = computePrediction(makeOutcomes(winners.slice(0, at)))[winners[at] === "P" ? "player" : "banker"];
      for (const name of /** @type {const} */ (["bigEyeBoy", "smallRoad", "cockroachPig"])) {
        assert.equal(predicted[name], after[name].length > before[name].length ? after[name].at(-1)?.colour : "", `${winners} ${at} ${name}`);
      }
    }
  }
});

test("a bead plate that is full drops its oldest columns", () => {
  assert.equal(fitBeadPlate(makeOutcomes("P".repeat(72)), 12).length, 72);
  assert.equal(fitBeadPlate(makeOutcomes("P".repeat(73)), 12).length, 67);
  assert.equal(fitBeadPlate(makeOutcomes("P".repeat(78)), 12).length, 72);
  assert.equal(fitBeadPlate(makeOutcomes("P".repeat(90)), Infinity).length, 90);
});

test("a side scores the last digit of its sum; tens and faces count nothing", () => {
  assert.deepEqual([["H1", "S9"], ["DJ", "C10"], ["H7", "H8", "H9"], ["SK", "S4"]].map(scoreHand), [0, 0, 4, 4]);
});

test("an outcome names the winner and the pairs of the first two cards", () => {
  assert.deepEqual(describeOutcome({ player: ["H3", "D3"], banker: ["S10", "SK"] }), { winner: "p", playerPair: true, bankerPair: false });
  assert.deepEqual(describeOutcome({ player: ["H3", "D4"], banker: ["S8", "H8", "H1"] }), { winner: "t", playerPair: false, bankerPair: true });
  assert.equal(describeOutcome({ player: ["H3", "D4"], banker: ["S9", "H9"] }).winner, "b");
});
