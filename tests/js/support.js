/** Helpers that the tests of scripts share. */

import { readFileSync } from "node:fs";
import { webcrypto } from "node:crypto";
import { register } from "node:module";

import { fillPlaces } from "../../static/portal/js/fill-places.js";

// A game's script imports by addresses of the site. A test imports such a script by `await import`, after this module.
register("./static-paths.js", import.meta.url);

// Node 18 has Web Crypto, and not yet under its name in browsers.
if (!globalThis.crypto) Object.defineProperty(globalThis, "crypto", { value: webcrypto });

/**
 * @typedef {object} Vector
 * @property {string} serverSeed
 * @property {string} commitment
 * @property {string} clientSeed
 * @property {number} nonce
 * @property {number} decks
 * @property {string} cards
 * @property {string} player
 * @property {string} banker
 */

/** @param {string} path  from the top of the checkout */
export function readText(path) {
  return readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
}

const WORD = /"([\w-]+)": _\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)/g;

/**
 * Return a function that writes the English sentences of a page with these files' words.
 * @param {...string} paths  of Python files from the top of the checkout
 * @returns {import("../../static/portal/js/words.js").Tell}
 */
export function makeTell(...paths) {
  const words = readWords(paths);
  return (name, values = {}) => {
    if (!(name in words)) throw new Error(`There are no words ${name}.`);
    return fillPlaces(words[name], values);
  };
}

/**
 * Open a page with the English words of these files, for modules that read the page's.
 * @param {...string} paths
 */
export function openPage(...paths) {
  const textContent = JSON.stringify(readWords(paths));
  const page = {
    documentElement: { lang: "en", dataset: {} }, body: { dataset: {} },
    getElementById: (/** @type {string} */ id) => (id === "words" ? { textContent } : null),
  };
  Object.defineProperty(globalThis, "document", { value: page });
  if (!globalThis.navigator) Object.defineProperty(globalThis, "navigator", { value: { languages: ["en"] } });
}

/**
 * @param {string[]} paths
 * @returns {Record<string, string>}
 */
function readWords(paths) {
  return Object.fromEntries(paths.flatMap((path) =>
    Array.from(readText(path).matchAll(WORD), ([, name, text]) => [name, parseLiterals(text)])));
}

/** @param {string} text  Python's literals, one after the other */
function parseLiterals(text) {
  return Array.from(text.matchAll(/"(?:[^"\\]|\\.)*"/g), ([literal]) => JSON.parse(literal)).join("");
}

/** @type {Vector[]} */
export const VECTORS = JSON.parse(readText("tests/vectors/deals.json"));
