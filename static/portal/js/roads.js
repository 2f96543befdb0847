// @ts-check
/** The bead plate and the big road of the last rounds. Pure. */

/**
 * The outcome of one deal: the winner, `t` for a tie, and the sides with a pair.
 * @typedef {object} Outcome
 * @property {"p" | "b" | "t"} winner
 * @property {boolean} playerPair
 * @property {boolean} bankerPair
 *
 * A cell of the big road; rows and columns count from 1.
 * @typedef {Outcome & { ties: number, column: number, row: number, turned?: boolean }} RoadCell
 */

const ROWS = 6;
const BEAD_COLUMNS = 12;

/**
 * Return the newest outcomes that fit a bead plate, oldest first, column by column.
 * @param {Outcome[]} outcomes
 */
export function fitBeadPlate(outcomes) {
  const surplus = Math.max(0, outcomes.length - ROWS * BEAD_COLUMNS);
  return outcomes.slice(Math.ceil(surplus / ROWS) * ROWS);
}

/**
 * Return the cells of a big road: a column goes down as long as one side wins, turns right if it is full or blocked
 * (the dragon's tail), and a tie marks the cell before it.
 * @param {Outcome[]} outcomes
 */
export function buildBigRoad(outcomes) {
  /** @type {RoadCell[]} */
  const cells = [];
  const taken = new Set();
  let columns = 0;
  let leadingTies = 0;
  for (const outcome of outcomes) {
    const last = cells.at(-1);
    if (outcome.winner === "t") {
      if (last) last.ties += 1;
      else leadingTies += 1;
      continue;
    }
    let place;
    if (last && last.winner === outcome.winner) {
      const isBlocked = last.turned || last.row === ROWS || taken.has(`${last.column}:${last.row + 1}`);
      place = isBlocked
        ? { column: last.column + 1, row: last.row, turned: true }
        : { column: last.column, row: last.row + 1 };
    } else {
      columns += 1;
      place = { column: columns, row: 1 };
    }
    taken.add(`${place.column}:${place.row}`);
    cells.push({ ...outcome, ties: leadingTies, ...place });
    leadingTies = 0;
  }
  return cells;
}
