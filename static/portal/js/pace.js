// @ts-check
/** How fast the rounds of the player's own tables are shown. The switch is kept in the browser. */

import { enableGroup } from "./dom.js";
import { readStored, writeStored } from "./stored.js";

/** @typedef {"normal" | "fast" | "instant"} Pace */

const STORE = "punto-pace";
/** The factor of every animation and pause. Six cards, one after the other, take 2.6 s at 1.
 * @type {Record<Pace, number>} */
const FACTORS = { normal: 1, fast: 0.45, instant: 0.08 };

/** @returns {Pace} */
export function readPace() {
  const stored = readStored(STORE);
  return stored === "fast" || stored === "instant" ? stored : "normal";
}

/** The factor for the duration of an animation. */
export function findPace() {
  return isPaced() ? FACTORS[readPace()] : 1;
}

/** Whether rounds are shown as fast as can be. */
export function isInstant() {
  return isPaced() && readPace() === "instant";
}

/**
 * Connect the radio buttons of the pace.
 * @param {HTMLElement} root
 */
export function connectPace(root) {
  for (const input of root.querySelectorAll("input[name=pace]")) {
    if (!(input instanceof HTMLInputElement)) continue;
    input.checked = input.value === readPace();
    input.addEventListener("change", () => {
      writeStored(STORE, input.value);
      applyPace();
    });
    enableGroup(input);
  }
  applyPace();
}

/** Give the style sheets the factor. */
function applyPace() {
  document.documentElement.style.setProperty("--pace", String(FACTORS[readPace()]));
}

/** Whether the page has the switch: at a table of many, the house sets the pace. */
function isPaced() {
  return document.documentElement.style.getPropertyValue("--pace") !== "";
}
