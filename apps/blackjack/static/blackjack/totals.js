// @ts-check
/** The totals of hands. Pure. */

const RANKS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];

/**
 * Return the value of a hand: an ace counts eleven unless that busts the hand.
 * @param {string[]} cards
 */
export function computeTotal(cards) {
  const values = cards.map((card) => Math.min(RANKS.indexOf(card.slice(1)) + 1, 10));
  const hard = values.reduce((sum, value) => sum + value, 0);
  const isSoft = values.includes(1) && hard + 10 <= 21;
  return { value: isSoft ? hard + 10 : hard, isSoft };
}

/**
 * Return whether the hand is a natural: two cards of 21 without a split.
 * @param {{ cards: string[], isSplit: boolean }} hand
 */
export function isNatural({ cards, isSplit }) {
  return !isSplit && cards.length === 2 && computeTotal(cards).value === 21;
}

/**
 * Return the text of a total: "soft 17", "20".
 * @param {string[]} cards
 * @param {import("/static/portal/js/words.js").Tell} tell
 */
export function describeTotal(cards, tell) {
  const { value, isSoft } = computeTotal(cards);
  return isSoft && value < 21 && cards.length > 1 ? tell("total-soft", { total: String(value) }) : String(value);
}

/**
 * Return the text of a hand's total, or the word for a natural, which beats every other 21.
 * @param {{ cards: string[], isSplit?: boolean }} hand
 * @param {import("/static/portal/js/words.js").Tell} tell
 */
export function describeHand({ cards, isSplit = false }, tell) {
  return isNatural({ cards, isSplit }) ? tell("total-natural") : describeTotal(cards, tell);
}
