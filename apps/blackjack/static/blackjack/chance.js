// @ts-check
/** The chance that a hidden card is a ten, from the cards that the player sees. Pure. */

import { groupThousands } from "/static/portal/js/money.js";

/** Stands for an endless shoe in the rules. */
export const ENDLESS_DECKS = 9;
const DECK = 52;
const RANKS = 13;
const TENS_A_DECK = 16;
/** The place of the ten among the ranks of a suit; jack, queen and king follow. */
const FIRST_TEN = 9;
const TENS = new Set(["10", "J", "Q", "K"]);

/**
 * @typedef {object} Dealt
 * @property {number} decks
 * @property {number[] | null} [shoe]  how many of each card were left before the round, each suit from ace to king;
 *   whole
 *   decks without it
 */

/**
 * Return how many of the unseen cards are tens; for an endless shoe, how many of the thirteen ranks.
 * @param {string[]} seen  the codes of the cards that are face up
 * @param {Dealt} dealt
 */
export function computeTenChance(seen, { decks, shoe }) {
  if (decks === ENDLESS_DECKS) return { tens: 4, unseen: RANKS };
  const shown = seen.filter((code) => TENS.has(code.slice(1))).length;
  const left = shoe ? sumCounts(shoe) : 0;
  // A shoe that runs empty during the deal is filled with all cards except those on the table.
  if (!shoe || left <= seen.length) return { tens: decks * TENS_A_DECK - shown, unseen: decks * DECK - seen.length };
  return { tens: sumCounts(shoe.filter((_count, face) => face % RANKS >= FIRST_TEN)) - shown, unseen: left - seen.length };
}

/**
 * Return the chance of a ten as the values of a sentence. One about an endless shoe has only `chance`.
 * @param {string[]} seen
 * @param {Dealt} dealt
 */
export function describeTenChance(seen, dealt) {
  const { tens, unseen } = computeTenChance(seen, dealt);
  const chance = groupThousands(((tens / unseen) * 100).toFixed(2));
  return { isEndless: dealt.decks === ENDLESS_DECKS, values: { chance, tens: String(tens), unseen: String(unseen) } };
}

/** @param {number[]} counts */
function sumCounts(counts) {
  return counts.reduce((sum, count) => sum + count, 0);
}
