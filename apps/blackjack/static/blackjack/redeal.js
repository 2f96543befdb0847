/** How the page "Check a round" deals a round of blackjack again (the interface: static/portal/js/verify.js). Pure. */

import { cardsLay, placesCount, placesRead } from "./placement.js";
import { isNatural, totalWords } from "./round.js";

const FIRST_CARDS = ["You", "Dealer", "You", "Dealer's second"];
const DEFAULT_COUNT = 12;
const NOTE =
  "The cards are computed here from the seeds. Where each was laid follows from your decisions: that is told by the round's record.";
const PROBLEM = "Where the cards were laid cannot be read, or is not of as many cards.";

/** Deal a round from the shoe. Where its cards lay follows from decisions, so that is not computed but told. */
export function redeal(shoe, { cardCount, places: signs }) {
  const places = placesRead(signs);
  const count = cardCount || placesCount(places ?? []) || DEFAULT_COUNT;
  const cards = shoe.slice(0, count);
  const order = { cards, labels: cards.map((_, index) => FIRST_CARDS[index] ?? "Next") };
  if (!signs.length) return order;
  const laid = places && placesCount(places) === cards.length ? cardsLay(cards, places) : null;
  if (!laid) return { ...order, problem: PROBLEM };
  return { cards, labels: laid.labels, hands: laid.rows.map(handView), note: NOTE };
}

function handView({ label, cards }, _index, rows) {
  const isSplit = rows.length > 2 && label !== "Dealer";
  return { label, cards, total: isNatural({ cards, isSplit }) ? "blackjack" : totalWords(cards) };
}
