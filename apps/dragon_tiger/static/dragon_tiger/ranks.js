// @ts-check
/** The ranks of cards, and the winner of a deal. Pure. */

/**
 * @typedef {import("/static/portal/js/dealt-sides.js").Deal} Deal
 * @typedef {"dragon" | "tiger" | "tie"} Winner
 */

const RANKS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
/** @type {Record<string, string>} */
const NAMES = { 1: "ace", J: "jack", Q: "queen", K: "king" };

/**
 * Return the name of a card's rank.
 * @param {string} code
 */
export function nameRank(code) {
  const rank = code.slice(1);
  return NAMES[rank] ?? rank;
}

/**
 * Return the winner: the ace is the lowest rank, the king the highest.
 * @param {Deal} deal
 * @returns {Winner}
 */
export function findWinner({ dragon, tiger }) {
  const lead = RANKS.indexOf(dragon[0].slice(1)) - RANKS.indexOf(tiger[0].slice(1));
  if (lead === 0) return "tie";
  return lead > 0 ? "dragon" : "tiger";
}

/**
 * Return the result of a deal as a text without a full stop.
 * @param {Deal} deal
 */
export function describeEnding(deal) {
  const [dragon, tiger] = [nameRank(deal.dragon[0]), nameRank(deal.tiger[0])];
  const winner = findWinner(deal);
  if (winner === "dragon") return `Dragon wins, ${dragon} over ${tiger}`;
  if (winner === "tiger") return `Tiger wins, ${tiger} over ${dragon}`;
  return `${deal.dragon[0] === deal.tiger[0] ? "Suited tie" : "Tie"}, ${dragon} on both sides`;
}
