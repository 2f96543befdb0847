// @ts-check
/**
 * Sends bets over HTTP, each until it is answered. Every try has the same key, so the bet is placed once even if the
 * connection drops. The tab stores the bet, so that it is sent again after a reload.
 */

import { parseExact } from "./money.js";
import { wait } from "./motion.js";
import { createRandomHex } from "./random.js";
import { readRefusal, Refusal } from "./refusals.js";
import { TabStore } from "./tab-store.js";

/**
 * @typedef {object} Bet
 * @property {string} key
 * @property {string} body  JSON
 */

const UNAUTHORIZED = 401;
const KEY_BYTES = 16;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 8000;
/** The number of temporary or unclear refusals of a bet before the player gets a message. */
const MAX_REFUSALS = 6;

export class BetSender {
  #url;
  #identity;
  #onRetry;
  /** @type {TabStore<Bet>} */
  #unanswered;
  #session = "";
  /** Whether the bet that is being sent may have been placed by a try without an answer. */
  #isUnknown = false;

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
    this.#unanswered = new TabStore(`punto-bet:${url}`, identity);
  }

  /**
   * The player's bet of this tab without an answer. Each URL has its own, so another game's bet is not sent here.
   * @returns {Bet | null}
   */
  get unanswered() {
    return this.#unanswered.read();
  }

  /**
   * Send a new bet and return the answer, in which numbers are texts. Throws Refusal.
   * @param {string} body  JSON
   */
  send(body) {
    this.#isUnknown = false;
    return this.#sendUntilAnswered({ key: createRandomHex(KEY_BYTES), body });
  }

  /**
   * Send a bet from before a reload again, with its key, and return the answer. Throws Refusal.
   * @param {Bet} bet
   */
  sendAgain(bet) {
    this.#isUnknown = true;
    return this.#sendUntilAnswered(bet);
  }

  /**
   * Without a network it tries for ever, since the player can do nothing else at the table.
   * @param {Bet} bet
   */
  async #sendUntilAnswered(bet) {
    for (let attempt = 0, refusals = 0; ; attempt += 1) {
      try {
        const answer = await this.#place(bet);
        this.#unanswered.clear();
        return answer;
      } catch (error) {
        const refusal = error instanceof Refusal ? error : null;
        if (refusal) refusals += 1;
        if (refusal && (!refusal.isTemporary || refusals === MAX_REFUSALS)) {
          this.#unanswered.clear();
          refusal.isUnknown = this.#isUnknown;
          throw refusal;
        }
        this.#onRetry(refusal?.status ?? 0);
        await wait(Math.max((refusal?.waitS ?? 0) * 1000, Math.min(FIRST_WAIT_MS * 2 ** attempt, MAX_WAIT_MS)));
      }
    }
  }

  /**
   * Send the bet in the window's game session, and in a new one if that has expired.
   * @param {Bet} bet
   */
  async #place(bet) {
    this.#session ||= await this.#identity.findSession(false);
    this.#unanswered.write(bet);
    try {
      return await this.#post(bet);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== UNAUTHORIZED) throw error;
      this.#session = "";
      this.#session = await this.#identity.findSession(true);
      return await this.#post(bet);
    }
  }

  /** @param {Bet} bet */
  async #post({ key, body }) {
    const headers = { Authorization: `Bearer ${this.#session}`, "Content-Type": "application/json", "Idempotency-Key": key };
    const wasUnknown = this.#isUnknown;
    this.#isUnknown = true;
    const response = await fetch(this.#url, { method: "POST", headers, body });
    if (response.status === 200) return readAnswer(await response.text());
    this.#isUnknown = wasUnknown || response.status >= 500;
    throw await readRefusal(response);
  }
}

/**
 * Return the answer, in which numbers are texts. Any other text comes from a proxy and says nothing about the bet.
 * @param {string} text
 */
function readAnswer(text) {
  try {
    return parseExact(text);
  } catch {
    throw new Refusal(502, "the answer cannot be read", "SERVICE_UNAVAILABLE");
  }
}
