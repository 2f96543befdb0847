// @ts-check
/** Pauses a table in a frame: it can be neither clicked nor reached by keys, and a note says why. */

import { createElement } from "./dom.js";
import { clearStored, readStored, writeStored } from "./stored.js";
import { tell } from "./words.js";

/**
 * @typedef {"pause" | "language" | "over"} Reason  the host page wants it, the language is being set, the session is
 * over
 */

const PAUSE_STORE = "punto-pause";

/** @type {Set<Reason>} */
const reasons = new Set();

/** @param {Reason} reason */
export function pauseTable(reason) {
  reasons.add(reason);
  showPause();
  if (reason === "pause") writeStored(PAUSE_STORE, "on", "sessionStorage");
}

/** @param {Reason} reason */
export function endPause(reason) {
  reasons.delete(reason);
  showPause();
  if (reason === "pause") clearStored(PAUSE_STORE, "sessionStorage");
}

/** Keep keys from a paused table. Pause it again if the previous page, in another language, was paused. */
export function preparePause() {
  // Some keys act wherever the focus is.
  window.addEventListener("keydown", (event) => reasons.size && event.stopImmediatePropagation(), { capture: true });
  if (readStored(PAUSE_STORE, "sessionStorage")) pauseTable("pause");
}

function showPause() {
  const main = document.querySelector("main");
  if (!main) return;
  main.inert = reasons.size > 0;
  document.querySelector(".frame-pause")?.remove();
  if (!reasons.size) return;
  // An open dialog is above everything else, and the page's inertness does not reach it.
  for (const dialog of document.querySelectorAll("dialog")) dialog.close();
  const note = createElement("p", "frame-pause", tell(reasons.has("over") ? "frame-closed" : "frame-paused"));
  note.setAttribute("role", "status");
  document.body.append(note);
}
