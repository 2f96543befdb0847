// @ts-check
/** The scores of a deal, and its outcome for the roads. Pure. */

/**
 * @typedef {import("/static/portal/js/dealt-sides.js").Deal} Deal
 *
 * The outcome of one deal: the winner, `t` for a tie, and the sides with a pair.
 * @typedef {object} Outcome
 * @property {"p" | "b" | "t"} winner
 * @property {boolean} playerPair
 * @property {boolean} bankerPair
 */

const WORTHLESS = new Set(["10", "J", "Q", "K"]);

/**
 * Return the points of a card: an ace has one, tens and faces have none.
 * @param {string} code
 */
export function countPoints(code) {
  const rank = code.slice(1);
  return WORTHLESS.has(rank) ? 0 : Number(rank);
}

/**
 * Return the score of a side, the last digit of its sum.
 * @param {string[]} cards
 */
export function scoreHand(cards) {
  return cards.reduce((sum, code) => sum + countPoints(code), 0) % 10;
}

/**
 * Return the outcome of one deal for a road.
 * @param {Deal} deal
 * @returns {Outcome}
 */
export function describeOutcome({ player, banker }) {
  return { winner: findWinner(player, banker), playerPair: isPair(player), bankerPair: isPair(banker) };
}

/**
 * @param {string[]} player
 * @param {string[]} banker
 */
function findWinner(player, banker) {
  const lead = scoreHand(player) - scoreHand(banker);
  if (lead === 0) return "t";
  return lead > 0 ? "p" : "b";
}

/** @param {string[]} cards */
function isPair(cards) {
  return cards[0].slice(1) === cards[1].slice(1);
}
