// @ts-check
/**
 * The hands of a blackjack round: the round's record has the place of each card, and the page computes the cards. Pure.
 *
 * A place is `1`, `2`, ... for the player's hand of that number at that moment, `D` for the dealer, `H` for the dealer's
 * hole card; `1/` takes no card: it splits that hand into two, and the hands above it move up by one.
 */

const CARD_PLACE = /^(?:[1-9]|D|H)$/;
const SPLIT = /^([1-9])\/$/;

/**
 * Return the signs as places, or null where one of them is none.
 * @param {string[]} signs
 */
export function readPlaces(signs) {
  return signs.every((sign) => CARD_PLACE.test(sign) || SPLIT.test(sign)) ? signs : null;
}

/**
 * Return how many cards the places take.
 * @param {string[]} places
 */
export function countCards(places) {
  return places.filter((place) => CARD_PLACE.test(place)).length;
}

/**
 * Return `{ labels, rows }`: for each card in dealing order where it lay in the end, and the dealer's cards and each
 * hand's as `{ label, cards }`. Null where the places name a hand that there was not, or split one of other than two cards.
 * @param {string[]} cards
 * @param {string[]} places
 */
export function placeCards(cards, places) {
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
    for (const index of indexes) labels[index] = index === holeAt ? "Hole card" : label;
    return { label, cards: indexes.map((index) => cards[index]) };
  };
  const rows = [
    labelRow("Dealer", dealer),
    ...hands.map((hand, index) => labelRow(hands.length > 1 ? `Hand ${index + 1}` : "You", hand)),
  ];
  return { labels, rows };
}

/**
 * Return the numbers of the cards that the dealer and each hand have in the end, or null where that is impossible.
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
