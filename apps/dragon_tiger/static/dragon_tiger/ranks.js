// @ts-check
/** The ranks of cards, and the winner of a deal. Pure. */

/**
 * @typedef {import("/static/portal/js/dealt-sides.js").Deal} Deal
 * @typedef {import("/static/portal/js/words.js").Tell} Tell
 * @typedef {"dragon" | "tiger" | "tie"} Winner
 */

const RANKS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const NAMED = new Set(["1", "J", "Q", "K"]);

/**
 * Return the name of a card's rank.
 * @param {string} code
 * @param {Tell} tell
 */
export function nameRank(code, tell) {
  const rank = code.slice(1);
  return NAMED.has(rank) ? tell(`rank-${rank}`) : rank;
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
 * Return the result of a deal as a sentence.
 * @param {Deal} deal
 * @param {Tell} tell
 */
export function describeEnding(deal, tell) {
  const [dragon, tiger] = [nameRank(deal.dragon[0], tell), nameRank(deal.tiger[0], tell)];
  const winner = findWinner(deal);
  if (winner !== "tie") return tell(`${winner}-won`, { dragon, tiger });
  return tell(deal.dragon[0] === deal.tiger[0] ? "dragon-suited-tie" : "dragon-tie", { rank: dragon });
}
