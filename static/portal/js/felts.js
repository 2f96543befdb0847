// @ts-check
/** The colour of the felt. The choice is kept in the browser and holds for all tables. */

import { enableGroup } from "./dom.js";
import { readStored, writeStored } from "./stored.js";

const STORE = "punto-felt";
const FELTS = new Set(["green", "blue", "red"]);

/** Give the style sheets the kept choice. */
export function applyFelt() {
  document.documentElement.dataset.felt = readFelt();
}

/**
 * Connect the radio buttons of the felt.
 * @param {HTMLElement} root
 */
export function connectFelts(root) {
  for (const input of root.querySelectorAll("input[name=felt]")) {
    if (!(input instanceof HTMLInputElement)) continue;
    input.checked = input.value === readFelt();
    input.addEventListener("change", () => {
      writeStored(STORE, input.value);
      applyFelt();
    });
    enableGroup(input);
  }
  applyFelt();
}

function readFelt() {
  const stored = readStored(STORE) ?? "";
  return FELTS.has(stored) ? stored : "green";
}
