// @ts-check
/** Deals a round of dragon tiger again for the page "Check a round" (`RedealModule` in static/portal/js/verify.js).
Pure. */

import { describeEnding } from "./ranks.js";

/** @typedef {import("/static/portal/js/verify.js").Redeal} Redeal */

/**
 * Deal a round from the shoe: one card to the dragon, one to the tiger.
 * @param {string[]} shoe
 * @returns {Redeal}
 */
export function redeal(shoe) {
  const [dragon, tiger] = shoe;
  return {
    cards: [dragon, tiger],
    labels: ["Dragon", "Tiger"],
    outcome: `${describeEnding({ dragon: [dragon], tiger: [tiger] })}.`,
  };
}
