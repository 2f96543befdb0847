// @ts-check
/** A server's refusals, and their texts for the player. */

import { hasWords, tell } from "./words.js";

/** A refusal of the server. It changed nothing, unless its code is INTERNAL_ERROR or SERVICE_UNAVAILABLE. */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {string} message  the server's words, which are for the programmers of a client
   * @param {string} [code]
   */
  constructor(status, message, code = "") {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * Return the sentence for players about a refusal with this code.
 * @param {string} code
 */
export function describeRefusal(code) {
  const name = `refused-${code}`;
  return tell(hasWords(name) ? name : "refused");
}
