// @ts-check
/** Deals a round of baccarat again for the page "Check a round" (`RedealModule` in static/portal/js/verify.js). Pure.
*/

import { countPoints, scoreHand } from "./score.js";

/** @typedef {import("/static/portal/js/verify.js").Redeal} Redeal */

/**
 * The points of the player's third card on which the banker draws, by the banker's score (docs/baccarat.md).
 * @type {Record<number, number[]>}
 */
const BANKER_DRAWS_ON = {
  0: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  1: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  2: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  3: [0, 1, 2, 3, 4, 5, 6, 7, 9],
  4: [2, 3, 4, 5, 6, 7],
  5: [4, 5, 6, 7],
  6: [6, 7],
  7: [],
};

/**
 * Deal a round from the shoe. The cards alone decide which side draws.
 * @param {string[]} shoe
 * @param {import("/static/portal/js/verify.js").RedealParams} _params
 * @param {import("/static/portal/js/words.js").Tell} tell
 * @returns {Redeal}
 */
export function redeal(shoe, _params, tell) {
  const { player, banker, sides } = dealSides(shoe);
  const outcome = tell("baccarat-scores", { player: String(scoreHand(player)), banker: String(scoreHand(banker)) });
  return { cards: shoe.slice(0, sides.length), labels: sides.map((side) => tell(`baccarat-${side}`)), outcome };
}

/**
 * Return the sides of a round dealt from `shoe`, and the side that each card went to.
 * @param {string[]} shoe
 */
export function dealSides(shoe) {
  const player = [shoe[0], shoe[2]];
  const banker = [shoe[1], shoe[3]];
  const sides = ["player", "banker", "player", "banker"];
  if (scoreHand(player) >= 8 || scoreHand(banker) >= 8) return { player, banker, sides };
  let bankerDraws = scoreHand(banker) <= 5;
  if (scoreHand(player) <= 5) {
    const third = shoe[sides.length];
    bankerDraws = BANKER_DRAWS_ON[scoreHand(banker)].includes(countPoints(third));
    player.push(third);
    sides.push("player");
  }
  if (bankerDraws) {
    banker.push(shoe[sides.length]);
    sides.push("banker");
  }
  return { player, banker, sides };
}
