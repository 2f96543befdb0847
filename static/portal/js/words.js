// @ts-check
/** The sentences of the page in the player's language. The page hands them over as one object (apps/portal/words.py). */

import { fillPlaces } from "./fill-places.js";

/** @type {Record<string, string> | null} */
let words = null;

function readWords() {
  const element = document.getElementById("words");
  words ??= /** @type {Record<string, string>} */ (JSON.parse(element?.textContent ?? "{}"));
  return words;
}

/** @param {string} name */
export function hasWords(name) {
  return name in readWords();
}

/**
 * Return the sentence with this name, with the values in its places.
 * @param {string} name
 * @param {Record<string, string>} [values]
 */
export function tell(name, values = {}) {
  const text = readWords()[name];
  if (text === undefined) throw new Error(`The page has no words ${name}.`);
  return fillPlaces(text, values);
}
