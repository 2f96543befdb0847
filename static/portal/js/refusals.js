// @ts-check
/** A server's refusals, and their texts for the player. Pure. */

import { groupThousands } from "./money.js";

/** A refusal of the server, which changed nothing. */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {string} message  the server's words
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Return a server's message as a sentence with thousands separators and without the field's name on the wire.
 * @param {string} message
 */
export function formatRefusal(message) {
  const text = message.replace(/^[A-Za-z_]+: /, "").replace(/(?<![-\w.])\d{4,}(\.\d+)?(?![-\w])/g, groupThousands);
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
