// @ts-check
/** Requests advice on a round from the server, and repeats the request while the worker computes. */

import { wait } from "/static/portal/js/motion.js";
import { Refusal } from "/static/portal/js/refusals.js";

/**
 * Moves by their names on the wire (docs/protocol.md).
 * @typedef {object} DecisionAdvice
 * @property {number} hand
 * @property {string[]} cards
 * @property {string} upcard
 * @property {string[]} moves
 * @property {string | null} taken
 * @property {string | null} basicStrategy
 * @property {string | null} best
 * @property {Record<string, string> | null} values
 *
 * @typedef {{ isOpen: boolean, isReady: boolean, decisions: DecisionAdvice[] }} Advice
 */

const PAUSE_MS = 400;
const TRIES = 60;

/**
 * Return the advice; null if `isWanted` says that nobody waits for it any more. Throws Refusal.
 * @param {string} url  of the round's or the table's advice
 * @param {{ isExact: boolean, isWanted: () => boolean }} options
 * @returns {Promise<Advice | null>}
 */
export async function fetchAdvice(url, { isExact, isWanted }) {
  for (let left = TRIES; left && isWanted(); left -= 1) {
    const advice = await askOnce(`${url}?exact=${isExact ? 1 : 0}`);
    if (advice?.isReady) return isWanted() ? advice : null;
    await wait(PAUSE_MS);
  }
  if (!isWanted()) return null;
  throw new Refusal(0, "", "SERVICE_UNAVAILABLE");
}

/**
 * Return the answer; null if it comes too soon after others, from another window. Throws Refusal.
 * @param {string} url
 * @returns {Promise<Advice | null>}
 */
async function askOnce(url) {
  const response = await fetch(url, { headers: { Accept: "application/json" } }).catch(() => null);
  if (response?.status === 429) return null;
  const answer = await response?.json().catch(() => null);
  if (response?.ok && answer) return answer;
  throw new Refusal(response?.status ?? 0, answer?.message ?? "", answer?.code ?? "SERVICE_UNAVAILABLE");
}
