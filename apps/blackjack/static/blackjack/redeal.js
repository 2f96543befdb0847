// @ts-check
/** Deals a round of blackjack again for the page "Check a round" (`RedealModule` in static/portal/js/verify.js). Pure.
*/

import { countPlaced, placeCards, readPlaces } from "./placement.js";
import { describeHand } from "./totals.js";

/**
 * @typedef {import("/static/portal/js/verify.js").Redeal} Redeal
 * @typedef {import("/static/portal/js/verify.js").RedealParams} RedealParams
 * @typedef {import("/static/portal/js/words.js").Tell} Tell
 */

const FIRST_CARDS = ["hand-you", "hand-dealer", "hand-you", "hand-dealer-second"];
const DEFAULT_COUNT = 12;

/**
 * Deal a round from the shoe. The hand of each card depends on decisions, so it is a parameter.
 * @param {string[]} shoe
 * @param {RedealParams} params
 * @param {Tell} tell
 * @returns {Redeal}
 */
export function redeal(shoe, { cardCount, places: signs }, tell) {
  const places = readPlaces(signs);
  const cards = shoe.slice(0, cardCount || countPlaced(places ?? []) || DEFAULT_COUNT);
  const order = { cards, labels: cards.map((_, index) => tell(FIRST_CARDS[index] ?? "hand-next")) };
  if (!signs.length) return order;
  const placed = places && countPlaced(places) === cards.length ? placeCards(cards, places, tell) : null;
  if (!placed) return { ...order, problem: tell("redeal-problem") };
  const isSplit = placed.rows.length > 2;
  const hands = placed.rows.map((row, index) => ({ ...row, total: describeHand({ cards: row.cards, isSplit: isSplit && index > 0 }, tell) }));
  return { cards, labels: placed.labels, hands, note: tell("redeal-note") };
}
