// @ts-check
/** Deals a round of dragon tiger again for the page "Check a round" (`RedealModule` in static/portal/js/verify.js).
Pure. */

import { describeEnding } from "./ranks.js";

/** @typedef {import("/static/portal/js/verify.js").Redeal} Redeal */

/**
 * Deal a round from the shoe: one card to the dragon, one to the tiger.
 * @param {string[]} shoe
 * @param {import("/static/portal/js/verify.js").RedealParams} _params
 * @param {import("/static/portal/js/words.js").Tell} tell
 * @returns {Redeal}
 */
export function redeal(shoe, _params, tell) {
  const [dragon, tiger] = shoe;
  return {
    cards: [dragon, tiger],
    labels: [tell("dragon-side"), tell("tiger-side")],
    outcome: describeEnding({ dragon: [dragon], tiger: [tiger] }, tell),
  };
}
