/**
 * The last rounds as players of banker games read them. Pure: outcomes in, cells out.
 *
 * An outcome is `{ winner, playerPair, bankerPair }`: `winner` is `p`, `b` or `t` for a tie.
 */

const ROWS = 6;
const BEAD_COLUMNS = 12;

/** Return the newest outcomes that fit a bead plate, oldest first, column by column. */
export function beadPlate(outcomes) {
  const surplus = Math.max(0, outcomes.length - ROWS * BEAD_COLUMNS);
  return outcomes.slice(Math.ceil(surplus / ROWS) * ROWS);
}

/**
 * Return the cells of a big road: a column goes down as long as one side wins, turns right where it is full
 * or blocked (the dragon's tail), and a tie marks the cell before it. Rows and columns count from 1.
 */
export function bigRoad(outcomes) {
  const cells = [];
  const taken = new Set();
  let start = 0;
  let leadingTies = 0;
  for (const { winner, playerPair, bankerPair } of outcomes) {
    const last = cells.at(-1);
    if (winner === "t") {
      if (last) last.ties += 1;
      else leadingTies += 1;
      continue;
    }
    let place;
    if (last && last.winner === winner) {
      const below = { column: last.column, row: last.row + 1 };
      const blocked = last.turned || below.row > ROWS || taken.has(`${below.column}:${below.row}`);
      place = blocked ? { column: last.column + 1, row: last.row, turned: true } : below;
    } else {
      start += 1;
      place = { column: start, row: 1 };
    }
    taken.add(`${place.column}:${place.row}`);
    cells.push({ winner, playerPair, bankerPair, ties: leadingTies, ...place });
    leadingTies = 0;
  }
  return cells;
}
