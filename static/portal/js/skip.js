// @ts-check
/** A click or a key skips the animation of a round. It does nothing else: the button below the pointer is not pressed. */

import { dismissAnimations, isPausing } from "./motion.js";

const IGNORED_KEYS = new Set(["Tab", "Shift", "Control", "Alt", "Meta"]);

/** @param {HTMLElement} root  the table */
export function listenForSkips(root) {
  let isSkip = false;
  root.addEventListener("pointerdown", () => {
    isSkip = isPausing();
    if (isSkip) dismissAnimations(root);
  }, { capture: true });
  root.addEventListener("click", (event) => {
    if (!isSkip) return;
    isSkip = false;
    event.preventDefault();
    event.stopPropagation();
  }, { capture: true });
  let skippedKey = "";
  document.addEventListener("keydown", (event) => {
    if (!isPausing() || IGNORED_KEYS.has(event.key)) return;
    skippedKey = event.key;
    event.preventDefault();
    event.stopPropagation();
    dismissAnimations(root);
  }, { capture: true });
  document.addEventListener("keyup", (event) => {
    if (event.key === skippedKey) event.preventDefault(); // else the space bar would press a button now
    skippedKey = "";
  }, { capture: true });
}
