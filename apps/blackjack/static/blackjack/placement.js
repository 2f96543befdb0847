// @ts-check
/**
 * The hands of a blackjack round: the round's record has the place of each card, and the page computes the cards. Pure.
 *
 * A place is `1`, `2`, ... for the player's hand of that number at that moment, `D` for the dealer, `H` for the dealer's
 * hole card; `1/` stands for no card: it splits that hand into two, and the hands above it move up by one.
 */

const CARD_PLACE = /^(?:[1-9]|D|H)$/;
const SPLIT = /^([1-9])\/$/;

/**
 * Return the texts as places, or null if one of them is invalid.
 * @param {string[]} signs
 */
export function readPlaces(signs) {
  return signs.every((sign) => CARD_PLACE.test(sign) || SPLIT.test(sign)) ? signs : null;
}

/**
 * Return how many cards the places stand for.
 * @param {string[]} places
 */
export function countPlaced(places) {
  return places.filter((place) => CARD_PLACE.test(place)).length;
}

/**
 * Return `{ labels, rows }`: the final hand of each card in dealing order, and the cards of the dealer and each hand as
 * `{ label, cards }`. Null if the places name an unknown hand, or split a hand that does not have two cards.
 * @param {string[]} cards
 * @param {string[]} places
 * @param {import("/static/portal/js/words.js").Tell} tell
 */
export function placeCards(cards, places, tell) {
  const piles = fillPiles(places);
  if (!piles) return null;
  const { dealer, hands } = piles;
  const holeAt = places.filter((place) => CARD_PLACE.test(place)).indexOf("H");
  /** @type {string[]} */
  const labels = [];
  /**
   * @param {string} label
   * @param {number[]} indexes
   */
  const labelRow = (label, indexes) => {
    for (const index of indexes) labels[index] = index === holeAt ? tell("hand-hole") : label;
    return { label, cards: indexes.map((index) => cards[index]) };
  };
  const rows = [
    labelRow(tell("hand-dealer"), dealer),
    ...hands.map((hand, index) => labelRow(hands.length > 1 ? tell("hand-number", { number: String(index + 1) }) : tell("hand-you"), hand)),
  ];
  return { labels, rows };
}

/**
 * Return the indexes of the final cards of the dealer and of each hand, or null for invalid places.
 * @param {string[]} places
 */
function fillPiles(places) {
  /** @type {number[]} */
  const dealer = [];
  /** @type {number[][]} */
  const hands = [[]];
  let next = 0;
  for (const place of places) {
    const hand = hands[Number.parseInt(place, 10) - 1];
    if (place === "D" || place === "H") dealer.push(next++);
    else if (!hand) return null;
    else if (!SPLIT.test(place)) hand.push(next++);
    else if (hand.length !== 2) return null;
    else hands.splice(hands.indexOf(hand) + 1, 0, hand.splice(1));
  }
  return { dealer, hands };
}
