// @ts-check
/**
 * A click or a key skips the animation of a round and does nothing else. The button below the pointer is not pressed.
 */

import { dismissAnimations, isPausing } from "./motion.js";

const IGNORED_KEYS = new Set(["Tab", "Shift", "Control", "Alt", "Meta"]);
const FIELDS = "input, textarea, select";

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
  document.addEventListener("pointercancel", () => { isSkip = false; }, { capture: true });
  let skippedKey = "";
  document.addEventListener("keydown", (event) => {
    isSkip = false; // the pointer was released elsewhere, so a click that comes now is the key's
    if (!isPausing() || IGNORED_KEYS.has(event.key) || !isForTable(root, event.target)) return;
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

/**
 * Whether a key with this target may skip: the table or nothing has the focus, not a field and not another part of the
 * page, such as the panel.
 * @param {HTMLElement} root
 * @param {EventTarget | null} target
 */
function isForTable(root, target) {
  return target instanceof Element && !target.matches(FIELDS) && (root.contains(target) || target.contains(root));
}
