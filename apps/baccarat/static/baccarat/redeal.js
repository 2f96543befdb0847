/** How the page "Check a round" deals a round of baccarat again (the interface: static/portal/js/verify.js). Pure. */

import { countPoints, score } from "./score.js";

const FIRST_CARDS = ["Player", "Banker", "Player", "Banker"];
/** On these scores the banker answers a third card of the player's, from the first number of points to the second. */
const BANKER_DRAWS = { 3: [0, 9], 4: [2, 7], 5: [4, 7], 6: [6, 7] };

/** Deal a round from the shoe. The cards alone decide who draws. */
export function redeal(shoe) {
  const { player, banker, labels } = dealSides(shoe);
  return {
    cards: shoe.slice(0, labels.length),
    labels,
    outcome: `Player ${score(player)}, banker ${score(banker)}.`,
  };
}

/** Return the sides of a round dealt from `shoe`, and the side that each card went to. */
export function dealSides(shoe) {
  const player = [shoe[0], shoe[2]];
  const banker = [shoe[1], shoe[3]];
  const labels = [...FIRST_CARDS];
  if (score(player) >= 8 || score(banker) >= 8) return { player, banker, labels };
  let third = null;
  if (score(player) <= 5) {
    player.push(shoe[labels.length]);
    third = countPoints(player[2]);
    labels.push("Player");
  }
  if (bankerDraws(score(banker), third)) {
    banker.push(shoe[labels.length]);
    labels.push("Banker");
  }
  return { player, banker, labels };
}

function bankerDraws(bankerScore, third) {
  if (third === null) return bankerScore <= 5;
  if (bankerScore <= 2) return true;
  const range = BANKER_DRAWS[bankerScore];
  if (!range || (bankerScore === 3 && third === 8)) return false;
  return third >= range[0] && third <= range[1];
}
