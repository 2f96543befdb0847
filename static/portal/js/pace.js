// @ts-check
/**
 * The speed at which cards and results are shown. The server's deadlines do not depend on it. The browser remembers the
 * choice.
 */

import { connectChoice } from "./dom.js";
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
  return FACTORS[readPace()];
}

/** Whether rounds are shown at the highest speed. */
export function isInstant() {
  return readPace() === "instant";
}

/**
 * Connect the radio buttons of the pace.
 * @param {HTMLElement} root
 */
export function connectPace(root) {
  connectChoice(root, "pace", {
    read: readPace,
    choose: (pace) => {
      writeStored(STORE, pace);
      applyPace();
    },
  });
  applyPace();
}

/** Pass the factor to the style sheets. */
export function applyPace() {
  document.documentElement.style.setProperty("--pace", String(FACTORS[readPace()]));
}
