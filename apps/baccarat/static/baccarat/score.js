/** The scores of a deal, and what the roads show of it. Pure. */

const POINTS = { J: 0, Q: 0, K: 0, 10: 0 };

/** Return what a card counts: an ace one, tens and faces nothing. */
export function countPoints(code) {
  return POINTS[code.slice(1)] ?? Number(code.slice(1));
}

/** Return the score of a side, the last digit of its sum. */
export function score(cards) {
  return cards.reduce((sum, code) => sum + countPoints(code), 0) % 10;
}

/** Return what a road shows of one deal: winner `p`, `b` or `t`, and the pairs. */
export function outcome({ player, banker }) {
  const difference = score(player) - score(banker);
  let winner = "t";
  if (difference) winner = difference > 0 ? "p" : "b";
  return { winner, playerPair: isPair(player), bankerPair: isPair(banker) };
}

function isPair(cards) {
  return cards[0].slice(1) === cards[1].slice(1);
}
