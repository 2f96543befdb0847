// @ts-check
/** The chance that a hidden card is a ten, from the cards that the player sees. Pure. */

const DECK = 52;
const TENS_A_DECK = 16;
const INFINITE_DECKS = 9;
const TENS = new Set(["10", "J", "Q", "K"]);

/**
 * Return how many of the unseen cards are tens; for an endless shoe, how many of the thirteen ranks.
 * @param {string[]} seen  the codes of the cards that are face up; the shoe is fresh each round
 * @param {number} decks
 */
export function computeTenChance(seen, decks) {
  if (decks === INFINITE_DECKS) return { tens: 4, unseen: 13 };
  const shown = seen.filter((code) => TENS.has(code.slice(1))).length;
  return { tens: decks * TENS_A_DECK - shown, unseen: decks * DECK - seen.length };
}

/**
 * Return a part of a whole in per cent with two decimals.
 * @param {number} part
 * @param {number} whole
 */
export function describePercent(part, whole) {
  return ((part / whole) * 100).toFixed(2);
}
