// @ts-check
/**
 * Compares the cards of a finished round at a live table with the cards that were dealt again. Pure.
 *
 * The first cards go to the seats in order, then to the dealer, twice. The players' decisions determine the hand of
 * each further card, so the further cards are compared as a whole with those of the shoe.
 */

import { tell } from "/static/portal/js/words.js";
import { writeCardCode } from "/static/tables/js/wire.js";

/**
 * @typedef {import("/static/tables/js/game-view.js").CheckedDeal} CheckedDeal
 * @typedef {import("/static/tables/js/game-view.js").Json} Json
 *
 * @typedef {{ label: string, code: string }} Dealt
 */

/**
 * Return the number of cards on the table at the end.
 * @param {Json} record
 */
export function countCards(record) {
  return listDealt(record).length;
}

/**
 * Return the cards on the table at the end, seat by seat and then the dealer's.
 * @param {Json} record
 * @returns {Dealt[]}
 */
function listDealt({ results = [], dealer }) {
  const seats = results.flatMap((/** @type {Json} */ { seat, hands }) => hands.flatMap((/** @type {Json} */ hand) =>
    hand.cards.map((/** @type {any} */ card) => ({ label: tell("live-seat", { number: String(seat) }), code: writeCardCode(card) }))));
  return [...seats, ...(dealer?.cards ?? []).map((/** @type {any} */ card) => ({ label: tell("hand-dealer"), code: writeCardCode(card) }))];
}

/**
 * @param {Json} record
 * @param {string[]} cards  dealt again
 * @returns {CheckedDeal}
 */
export function checkDeal(record, cards) {
  const left = listDealt(record);
  const first = listFirst(record);
  const labels = cards.map((code, index) => {
    const label = first[index]?.label;
    const at = left.findIndex((dealt) => dealt.code === code && (!label || dealt.label === label));
    return at < 0 ? "?" : left.splice(at, 1)[0].label;
  });
  const isFirstKept = first.every(({ code }, index) => !code || cards[index] === code);
  const isSame = !left.length && !labels.includes("?") && isFirstKept;
  return { cards, labels, problem: isSame ? "" : tell("live-table-differs") };
}

/**
 * Return the receivers of the first cards. The code is empty if a split has moved the card.
 * @param {Json} record
 * @returns {Dealt[]}
 */
function listFirst({ results = [], dealer, rules }) {
  const dealerCodes = dealer.cards.map(writeCardCode);
  const rounds = [0, 1].map((pass) => [
    ...results.map((/** @type {Json} */ { seat, hands }) => ({
      label: tell("live-seat", { number: String(seat) }), code: hands.length === 1 || pass === 0 ? writeCardCode(hands[0].cards[pass]) : "",
    })),
    { label: tell("hand-dealer"), code: dealerCodes[pass] },
  ]);
  // Without a peek the dealer's second card comes when all seats have played.
  return rules?.dealerPeek === false ? rounds.flat().slice(0, -1) : rounds.flat();
}
