// @ts-check
/** A server's refusals, and their texts for the player. */

import { hasWords, tell } from "./words.js";

/** Codes for answers without one: a page instead of data, or the answer of a proxy. */
const CODES = new Map([[401, "AUTHENTICATION_FAILED"], [403, "CSRF_FAILED"], [409, "BUSY"], [429, "RATE_LIMITED"], [500, "INTERNAL_ERROR"]]);
const UNAUTHORIZED = 401;

/** A refusal of the server. It changed nothing, unless its status is 500 or above. */
export class Refusal extends Error {
  /** Whether an earlier try may have been carried out, so that the outcome is unknown. */
  isUnknown = false;
  /** Whether the same request may succeed in a moment. */
  isTemporary;
  /** The address of a page that explains the refusal; empty for none. */
  page = "";

  /**
   * @param {number} status
   * @param {string} message  the server's message, which is for client developers
   * @param {string} [code]
   * @param {number} [waitS]  seconds until it may be tried again
   */
  constructor(status, message, code = "", waitS = 0) {
    super(message);
    this.status = status;
    this.code = code;
    this.waitS = waitS;
    this.isTemporary = status === 429 || status >= 500 || code === "BUSY";
  }
}

/**
 * Return the refusal of a response. A redirect leads to the log-in.
 * @param {Response} response
 */
export async function readRefusal(response) {
  const status = response.redirected ? UNAUTHORIZED : response.status;
  const code = CODES.get(status) ?? (status > 500 ? "SERVICE_UNAVAILABLE" : "");
  const waitS = Number(response.headers.get("Retry-After")) || 0;
  try {
    const body = await response.json();
    const refusal = new Refusal(status, body.message ?? "", body.code ?? code, waitS);
    refusal.page = body.page ?? "";
    return refusal;
  } catch {
    return new Refusal(status, "", code, waitS);
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
