// @ts-check
/** The player's switch of hints, as the browser keeps it. */

import { readStored } from "/static/portal/js/stored.js";

export const HINTS_STORE = "punto-hints";

/** @param {string} [store]  the name that the switch is kept under */
export function isHinting(store = HINTS_STORE) {
  return readStored(store) === "on";
}
