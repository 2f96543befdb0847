// @ts-check
/**
 * Sends bets over HTTP, each until it is answered. Every try has the same key, so the bet is placed once even if the
 * connection drops. The tab stores the bet, so that it is sent again after a reload.
 */

import { parseExact } from "./money.js";
import { wait } from "./motion.js";
import { createRandomHex } from "./random.js";
import { Refusal } from "./refusals.js";

/**
 * @typedef {object} Bet
 * @property {string} key
 * @property {string} body  JSON
 *
 * @typedef {object} Answer
 * @property {number} status
 * @property {Headers} headers
 * @property {string} text
 */

const UNAUTHORIZED = 401;
const KEY_BYTES = 16;
const WAIT_FIRST_MS = 500;
const WAIT_MAX_MS = 8000;

export class BetSender {
  #url;
  #identity;
  #onRetry;
  #session = "";

  /**
   * @param {object} options
   * @param {string} options.url
   * @param {import("./player-identity.js").PlayerIdentity} options.identity  says who plays
   * @param {(status: number) => void} options.onRetry  called before a bet is sent again; 0 where there was no answer
   */
  constructor({ url, identity, onRetry }) {
    this.#url = url;
    this.#identity = identity;
    this.#onRetry = onRetry;
  }

  /**
   * The bet of this tab without an answer. Each URL has its own, so another game's bet is not sent here.
   * @returns {Bet | null}
   */
  get unanswered() {
    return JSON.parse(sessionStorage.getItem(this.#store) ?? "null");
  }

  /**
   * Send a new bet and return the answer, in which numbers are texts. Throws Refusal.
   * @param {string} body  JSON
   */
  send(body) {
    return this.sendAgain({ key: createRandomHex(KEY_BYTES), body });
  }

  /**
   * Send a bet under its key and return the answer. Throws Refusal.
   * @param {Bet} bet
   */
  async sendAgain(bet) {
    sessionStorage.setItem(this.#store, JSON.stringify(bet));
    for (let attempt = 0; ; attempt += 1) {
      const answer = await this.#fetchAnswer(bet);
      if (answer && !isTemporary(answer)) {
        sessionStorage.removeItem(this.#store);
        return readAnswer(answer);
      }
      this.#onRetry(answer?.status ?? 0);
      const seconds = Number(answer?.headers.get("Retry-After") ?? 0);
      await wait(Math.max(seconds * 1000, Math.min(WAIT_FIRST_MS * 2 ** attempt, WAIT_MAX_MS)));
    }
  }

  get #store() {
    return `punto-bet:${this.#url}`;
  }

  /**
   * Send the bet in the window's game session, and in a new one if that has expired. Return null if the network fails.
   * @param {Bet} bet
   * @returns {Promise<Answer | null>}
   */
  async #fetchAnswer(bet) {
    try {
      this.#session ||= (await this.#identity.findSession(false)) ?? "";
      const answer = await this.#post(bet);
      if (answer.status !== UNAUTHORIZED || !this.#session) return answer;
      this.#session = (await this.#identity.findSession(true)) ?? "";
      return this.#session ? await this.#post(bet) : answer;
    } catch {
      return null;
    }
  }

  /**
   * @param {Bet} bet
   * @returns {Promise<Answer>}
   */
  async #post({ key, body }) {
    // Without a session the bet is sent with the log-in's cookie, and the answer has the reason.
    const who = this.#session ? { Authorization: `Bearer ${this.#session}` } : this.#identity.headers;
    const headers = { ...who, "Content-Type": "application/json", "Idempotency-Key": key };
    const response = await fetch(this.#url, { method: "POST", headers, body });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
}

/** @param {Answer} answer */
function isTemporary({ status, text }) {
  return status >= 500 || status === 429 || (status === 409 && text.includes('"BUSY"'));
}

/** @param {Answer} answer */
function readAnswer({ status, text }) {
  let value;
  try {
    value = parseExact(text);
  } catch {
    throw new Refusal(status, "The server's answer cannot be read. Load the page again.");
  }
  if (status === 200) return value;
  throw new Refusal(status, value.message, value.code);
}
