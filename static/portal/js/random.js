// @ts-check
/** Randomness from the browser's cryptographic source. */

/**
 * Return random bytes as lower-case hex.
 * @param {number} byteCount
 */
export function createRandomHex(byteCount) {
  const bytes = crypto.getRandomValues(new Uint8Array(byteCount));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
