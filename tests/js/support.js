/** What the tests of scripts share. */

import { readFileSync } from "node:fs";
import { webcrypto } from "node:crypto";

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

/** @type {Vector[]} */
export const VECTORS = JSON.parse(readText("tests/vectors/deals.json"));
