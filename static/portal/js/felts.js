// @ts-check
/** The colour of the felt. The browser remembers the choice for all tables. */

import { connectChoice } from "./dom.js";
import { readStored, writeStored } from "./stored.js";

const STORE = "punto-felt";
const FELTS = new Set(["green", "blue", "red"]);

/** Pass the remembered choice to the style sheets. */
export function applyFelt() {
  document.documentElement.dataset.felt = readFelt();
}

/**
 * Connect the radio buttons of the felt.
 * @param {HTMLElement} root
 */
export function connectFelts(root) {
  connectChoice(root, "felt", {
    read: readFelt,
    choose: (felt) => {
      writeStored(STORE, felt);
      applyFelt();
    },
  });
  applyFelt();
}

function readFelt() {
  const stored = readStored(STORE) ?? "";
  return FELTS.has(stored) ? stored : "green";
}
