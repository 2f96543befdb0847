// @ts-check
/**
 * The sentences of the page in the player's language. The page hands them over as one object (apps/portal/words.py).
 */

import { fillPlaces } from "./fill-places.js";

/**
 * @typedef {(name: string, values?: Record<string, string>) => string} Tell  as `tell` below, for modules that know no
 * page
 */

/** @type {Record<string, string> | null} */
let words = null;

/** @returns {Record<string, string>} */
function readWords() {
  words ??= JSON.parse(document.getElementById("words")?.textContent ?? "{}");
  return words ?? {};
}

/**
 * Return the texts joined by the comma of the page's language.
 * @param {string[]} texts
 */
export function listTexts(texts) {
  return texts.join(tell("list-comma"));
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
