// @ts-check
/** The limits of the side bets. They stand on the spots, where the board reads them too. */

import { findElement } from "/static/portal/js/dom.js";
import { groupThousands } from "/static/portal/js/money.js";
import { tell } from "/static/portal/js/words.js";

/**
 * A highest stake of "0" takes the bet off the table.
 * @typedef {{ perfectPairsMin: string, perfectPairsMax: string, pokerMin: string, pokerMax: string }} SideLimits
 */

/** @type {("perfectPairs" | "poker")[]} */
const SIDES = ["perfectPairs", "poker"];

/**
 * Return the limits in the terms that the socket sends.
 * @param {Record<string, string>} limits
 * @param {{ simple: boolean } | null} rules
 * @returns {SideLimits}
 */
export function readSideLimits({ perfectPairsMinBet, perfectPairsMaxBet, pokerMinBet, pokerMaxBet }, rules) {
  return {
    perfectPairsMin: perfectPairsMinBet,
    perfectPairsMax: rules?.simple ? "0" : perfectPairsMaxBet,
    pokerMin: pokerMinBet,
    pokerMax: rules?.simple ? "0" : pokerMaxBet,
  };
}

/**
 * @param {HTMLElement} root  the table
 * @param {SideLimits} limits
 */
export function showSideLimits(root, limits) {
  for (const name of SIDES) {
    const spot = root.querySelector(`[data-spot=${name}]`);
    if (!(spot instanceof HTMLElement)) continue; // the bet was not on the table when the page was loaded
    const [least, most] = [limits[`${name}Min`], limits[`${name}Max`]];
    Object.assign(spot.dataset, { min: least, max: most });
    spot.hidden = most === "0";
    findElement(spot, ".spot-limits", HTMLElement).textContent = tell("range", { least: groupThousands(least), most: groupThousands(most) });
  }
}
