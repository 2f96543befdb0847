// @ts-check
/** Deals a round of blackjack again for the page "Check a round" (`RedealModule` in static/portal/js/verify.js). Pure.
*/

import { countCards, placeCards, readPlaces } from "./placement.js";
import { describeTotal, isNatural } from "./round.js";

/**
 * @typedef {import("/static/portal/js/verify.js").Redeal} Redeal
 * @typedef {import("/static/portal/js/verify.js").RedealParams} RedealParams
 */

const FIRST_CARDS = ["You", "Dealer", "You", "Dealer's second"];
const DEFAULT_COUNT = 12;
const NOTE =
  "The cards are computed here from the seeds. The hand of each follows from your decisions and is read from the round's record.";
const PROBLEM = "The hands of the cards cannot be read, or their number is not that of the cards.";

/**
 * Deal a round from the shoe. The hand of each card depends on decisions, so it is a parameter.
 * @param {string[]} shoe
 * @param {RedealParams} params
 * @returns {Redeal}
 */
export function redeal(shoe, { cardCount, places: signs }) {
  const places = readPlaces(signs);
  const cards = shoe.slice(0, cardCount || countCards(places ?? []) || DEFAULT_COUNT);
  const order = { cards, labels: cards.map((_, index) => FIRST_CARDS[index] ?? "Next") };
  if (!signs.length) return order;
  const placed = places && countCards(places) === cards.length ? placeCards(cards, places) : null;
  if (!placed) return { ...order, problem: PROBLEM };
  const isSplit = placed.rows.length > 2;
  const hands = placed.rows.map((row) => ({ ...row, total: describeHand(row, isSplit) }));
  return { cards, labels: placed.labels, hands, note: NOTE };
}

/**
 * @param {{ label: string, cards: string[] }} row
 * @param {boolean} isSplit
 */
function describeHand({ label, cards }, isSplit) {
  return isNatural({ cards, isSplit: isSplit && label !== "Dealer" }) ? "blackjack" : describeTotal(cards);
}
