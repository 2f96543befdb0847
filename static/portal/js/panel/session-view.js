// @ts-check
/**
 * The figures of this session: the time that the player has been at tables in this window, and the changes by play
 * since then. The amounts are the server's sums of the ledger. The window only remembers the beginning of the session.
 */

import { findPart } from "../dom.js";

/**
 * @typedef {object} SessionFigures
 * @property {string} wallet  the wallet of the figures; empty for a visitor
 * @property {number} after  the last movement before the session
 * @property {number} rounds
 * @property {string} staked
 * @property {string} returned
 * @property {string} net
 */

const STORE = "punto-session";
const SECOND_MS = 1000;

export class SessionView {
  #currency;
  #store;
  #parts;
  /** @type {{ startedAt: number, after: number | null, wallet: string }} */
  #session;

  /**
   * @param {HTMLElement} body
   * @param {import("../currency.js").Currency} currency
   */
  constructor(body, currency) {
    this.#currency = currency;
    this.#store = `${STORE}-${currency.code}`;
    this.#parts = {
      clock: findPart(body, "session-clock"),
      staked: findPart(body, "session-staked"),
      returned: findPart(body, "session-returned"),
      net: findPart(body, "session-net"),
    };
    this.#session = this.#readStored();
    this.#showClock();
    setInterval(() => this.#showClock(), SECOND_MS);
  }

  /** The last movement before the session; empty until the server has sent it. */
  get after() {
    return this.#session.after === null ? "" : String(this.#session.after);
  }

  /** Begin a new session. */
  startSession() {
    this.#session = { startedAt: Date.now(), after: null, wallet: "" };
    this.#showClock();
  }

  /**
   * Return whether the figures are of another player than the previous ones, since somebody else has logged in.
   * @param {SessionFigures} figures
   */
  isOther({ wallet }) {
    return Boolean(this.#session.wallet) && wallet !== this.#session.wallet;
  }

  /** @param {SessionFigures} figures */
  show({ wallet, after, staked, returned, net }) {
    this.#session = { ...this.#session, after, wallet };
    this.#writeStored();
    this.#parts.staked.textContent = this.#format(staked);
    this.#parts.returned.textContent = this.#format(returned);
    const units = this.#currency.parse(net);
    this.#parts.net.textContent = `${units > 0n ? "+" : ""}${this.#format(net)}`;
    this.#parts.net.className = units > 0n ? "plus" : units < 0n ? "minus" : "even";
  }

  /** @param {string} amount */
  #format(amount) {
    return this.#currency.format(this.#currency.parse(amount));
  }

  #showClock() {
    const seconds = Math.max(0, Math.floor((Date.now() - this.#session.startedAt) / SECOND_MS));
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    this.#parts.clock.textContent = [hours, minutes, seconds % 60].map((part, index) => String(part).padStart(index ? 2 : 1, "0")).join(":");
  }

  #writeStored() {
    try {
      sessionStorage.setItem(this.#store, JSON.stringify(this.#session));
    } catch {
      // A browser that stores nothing for this page begins a session with each page.
    }
  }

  #readStored() {
    try {
      const stored = JSON.parse(sessionStorage.getItem(this.#store) ?? "null");
      if (stored && Number.isFinite(stored.startedAt) && Number.isSafeInteger(stored.after)) return stored;
    } catch {
      // This page did not store that text: begin a new session.
    }
    return { startedAt: Date.now(), after: null, wallet: "" };
  }
}
