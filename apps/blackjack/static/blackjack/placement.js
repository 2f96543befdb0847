/**
 * Where a blackjack round's cards were laid: the round's record tells the places, the page computes the cards. Pure.
 *
 * A place is `1`, `2`, ... for the player's hand of that number at that moment, `D` for the dealer, `H` for the dealer's
 * hole card; `1/` takes no card: it splits that hand into two, and the hands above it move up by one.
 */

const CARD_PLACE = /^(?:[1-9]|D|H)$/;
const SPLIT = /^([1-9])\/$/;

/** Return the signs as places, or null where one of them is none. */
export function placesRead(signs) {
  return signs.every((sign) => CARD_PLACE.test(sign) || SPLIT.test(sign)) ? signs : null;
}

/** Return how many cards the places take. */
export function placesCount(places) {
  return places.filter((place) => CARD_PLACE.test(place)).length;
}

/**
 * Return `{ labels, rows }`: for each card in dealing order where it lay in the end, and the dealer's cards and each
 * hand's as `{ label, cards }`. Null where the places name a hand that there was not, or split one of other than two cards.
 */
export function cardsLay(cards, places) {
  const dealer = [];
  const hands = [[]];
  let next = 0;
  for (const place of places) {
    const hand = hands[Number.parseInt(place, 10) - 1];
    if (place === "D" || place === "H") dealer.push(next++);
    else if (!hand) return null;
    else if (!SPLIT.test(place)) hand.push(next++);
    else if (hand.length !== 2) return null;
    else hands.splice(hands.indexOf(hand) + 1, 0, [hand.pop()]);
  }
  const holeAt = places.filter((place) => CARD_PLACE.test(place)).indexOf("H");
  const labels = new Array(next);
  const row = (label, indexes) => {
    for (const index of indexes) labels[index] = index === holeAt ? "Hole card" : label;
    return { label, cards: indexes.map((index) => cards[index]) };
  };
  const rows = [row("Dealer", dealer), ...hands.map((hand, index) => row(hands.length > 1 ? `Hand ${index + 1}` : "You", hand))];
  return { labels, rows };
}
