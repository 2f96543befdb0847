// @ts-check
/**
 * The five road maps of the last rounds, and the marks that a win of each side would add. Pure. The server draws the
 * same roads (apps/baccarat/roads.py); tests/vectors/roads.json tests both.
 */

/**
 * The outcome of one round.
 * @typedef {{ winner: "player" | "banker" | "tie", playerPair: boolean, bankerPair: boolean }} Outcome
 *
 * Columns and rows count from 0.
 * @typedef {{ column: number, row: number }} Place
 * @typedef {Outcome & Place} BeadCell
 * @typedef {Outcome & Place & { ties: number }} BigRoadCell
 * @typedef {Place & { colour: "red" | "blue" }} DerivedCell
 *
 * @typedef {object} Roads
 * @property {BeadCell[]} beadPlate
 * @property {BigRoadCell[]} bigRoad
 * @property {DerivedCell[]} bigEyeBoy
 * @property {DerivedCell[]} smallRoad
 * @property {DerivedCell[]} cockroachPig
 *
 * The mark that a side's win would add to each derived road; empty for none.
 * @typedef {Record<"bigEyeBoy" | "smallRoad" | "cockroachPig", "red" | "blue" | "">} Prediction
 */

const ROWS = 6;

/**
 * Return the roads of the rounds, oldest first.
 * @param {Outcome[]} outcomes
 * @returns {Roads}
 */
export function buildRoads(outcomes) {
  const streaks = countRuns(outcomes.map(({ winner }) => winner).filter((winner) => winner !== "tie"));
  return {
    beadPlate: outcomes.map((outcome, index) => ({ ...outcome, column: Math.floor(index / ROWS), row: index % ROWS })),
    bigRoad: buildBigRoad(outcomes, streaks),
    bigEyeBoy: buildDerivedRoad(streaks, 1),
    smallRoad: buildDerivedRoad(streaks, 2),
    cockroachPig: buildDerivedRoad(streaks, 3),
  };
}

/**
 * Return the marks that a win of each side in the next round would add to the derived roads.
 * @param {Outcome[]} outcomes
 * @returns {{ player: Prediction, banker: Prediction }}
 */
export function computePrediction(outcomes) {
  const now = buildRoads(outcomes);
  return { player: listAdded(now, buildRoads([...outcomes, createWin("player")])), banker: listAdded(now, buildRoads([...outcomes, createWin("banker")])) };
}

/**
 * @param {Roads} before
 * @param {Roads} after  with one round more
 * @returns {Prediction}
 */
function listAdded(before, after) {
  /** @param {"bigEyeBoy" | "smallRoad" | "cockroachPig"} name */
  const findAdded = (name) => (after[name].length > before[name].length ? after[name][after[name].length - 1].colour : "");
  return { bigEyeBoy: findAdded("bigEyeBoy"), smallRoad: findAdded("smallRoad"), cockroachPig: findAdded("cockroachPig") };
}

/**
 * Return the outcome of a round that the side wins without a pair.
 * @param {"player" | "banker"} winner
 * @returns {Outcome}
 */
export function createWin(winner) {
  return { winner, playerPair: false, bankerPair: false };
}

/**
 * Return the newest outcomes that fit into this number of columns of the bead plate. A full plate drops its oldest
 * columns.
 * @param {Outcome[]} outcomes
 * @param {number} columns
 */
export function fitBeadPlate(outcomes, columns) {
  const surplus = Math.max(0, outcomes.length - ROWS * columns);
  return outcomes.slice(Math.ceil(surplus / ROWS) * ROWS);
}

/**
 * Return the lengths of the runs of equal values.
 * @param {string[]} values
 */
function countRuns(values) {
  /** @type {number[]} */
  const runs = [];
  values.forEach((value, index) => {
    if (index && values[index - 1] === value) runs[runs.length - 1] += 1;
    else runs.push(1);
  });
  return runs;
}

/**
 * @param {Outcome[]} outcomes
 * @param {number[]} streaks
 * @returns {BigRoadCell[]}
 */
function buildBigRoad(outcomes, streaks) {
  const places = placeRuns(streaks);
  /** @type {BigRoadCell[]} */
  const cells = [];
  let tiesBefore = 0; // ties before the first win are marked on the cell that it will get
  for (const outcome of outcomes) {
    const last = cells.at(-1);
    if (outcome.winner !== "tie") {
      cells.push({ ...outcome, ...places[cells.length], ties: tiesBefore });
      tiesBefore = 0;
    } else if (last) last.ties += 1;
    else tiesBefore += 1;
  }
  if (tiesBefore) cells.push({ column: 0, row: 0, winner: "tie", ties: tiesBefore, playerPair: false, bankerPair: false });
  return cells;
}

/**
 * Return the road that compares each entry of the big road with the streak `distance` before its own.
 * @param {number[]} streaks
 * @param {number} distance
 * @returns {DerivedCell[]}
 */
function buildDerivedRoad(streaks, distance) {
  const colours = streaks.flatMap((length, streak) => (
    Array.from({ length }, (_, entry) => entry)
      .filter((entry) => streak > distance || (streak === distance && entry > 0))
      .map((entry) => chooseColour(streaks, streak, entry, distance))
  ));
  const places = placeRuns(countRuns(colours));
  return colours.map((colour, index) => ({ ...places[index], colour }));
}

/**
 * @param {number[]} streaks
 * @param {number} streak
 * @param {number} entry
 * @param {number} distance
 */
function chooseColour(streaks, streak, entry, distance) {
  const repeats = entry === 0
    ? streaks[streak - 1] === streaks[streak - 1 - distance] // were the streaks before equally long?
    : streaks[streak - distance] !== entry; // the pattern breaks where the earlier streak ended just here
  return repeats ? "red" : "blue";
}

/**
 * Return the place of each entry of the runs: a run begins a column, goes down, and turns right where it is stopped. If
 * the tail of another run takes the top of its column, it begins in the first column with a free top.
 * @param {number[]} runs
 * @returns {Place[]}
 */
function placeRuns(runs) {
  const taken = new Set();
  /** @type {Place[]} */
  const places = [];
  let start = 0;
  for (const run of runs) {
    while (taken.has(`${start}:0`)) start += 1;
    let [column, row] = [start, 0];
    for (let entry = 0; entry < run; entry += 1) {
      const isStopped = column > start || row + 1 === ROWS || taken.has(`${column}:${row + 1}`);
      if (entry && isStopped) column += 1;
      else if (entry) row += 1;
      taken.add(`${column}:${row}`);
      places.push({ column, row });
    }
    start += 1;
  }
  return places;
}
