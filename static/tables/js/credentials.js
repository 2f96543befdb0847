// @ts-check
/**
 * The table session of this window: its token and its id. They are kept until the window is closed or another player logs in,
 * so that a page that is loaded again keeps its seats.
 */

import { Refusal } from "../../portal/js/refusals.js";
import { readStored, writeStored } from "../../portal/js/stored.js";
import { TabStore } from "../../portal/js/tab-store.js";

/**
 * @typedef {object} Credentials
 * @property {string} token
 * @property {string} sessionId
 */

const ANSWER_MS = 10_000;
const STORE = "punto-table-session";
const SEATS_STORE = "punto-table-seats";
/** Stands for a seat that the player has left, and that stays until its stake is settled. */
const LEFT = "left";

export class CredentialStore {
  #url;
  #identity;
  /** @type {TabStore<Credentials>} */
  #store;
  /** @type {Promise<Credentials> | null} */
  #asked = null;

  /**
   * @param {object} options
   * @param {string} options.url  gives a token to a logged-in player
   * @param {import("../../portal/js/player-identity.js").PlayerIdentity} options.identity  names the player
   */
  constructor({ url, identity }) {
    this.#url = url;
    this.#identity = identity;
    this.#store = new TabStore(STORE, identity);
  }

  /**
   * The session that this window already has for the player; null for none.
   * @returns {Credentials | null}
   */
  get kept() {
    return this.#store.read();
  }

  /** Return the window's session, or a new one. Throws LoggedOut if nobody is logged in. */
  async find() {
    const { kept } = this;
    if (kept) return kept;
    this.#asked ??= this.#ask();
    try {
      return await this.#asked;
    } finally {
      this.#asked = null;
    }
  }

  /**
   * Forget a session that the server no longer knows.
   * @param {string} token
   */
  clear(token) {
    if (this.kept?.token === token) this.#store.clear();
  }

  /**
   * Return whether this window's session holds the player's seat at a table.
   * @param {string} tableId
   */
  hasSeat(tableId) {
    return readSeats()[tableId] === this.kept?.sessionId;
  }

  /** @param {string} tableId */
  rememberSeat(tableId) {
    writeSeat(tableId, this.kept?.sessionId);
  }

  /**
   * Return whether the player has left the table from this window, and no window has opened there since.
   * @param {string} tableId
   */
  hasLeft(tableId) {
    return readSeats()[tableId] === LEFT;
  }

  /** @param {string} tableId */
  rememberLeft(tableId) {
    writeSeat(tableId, LEFT);
  }

  /** @param {string} tableId */
  clearLeft(tableId) {
    if (this.hasLeft(tableId)) writeSeat(tableId, undefined);
  }

  /** @returns {Promise<Credentials>} */
  async #ask() {
    const headers = { Accept: "application/json", ...this.#identity.headers };
    const response = await fetch(this.#url, { method: "POST", headers, signal: AbortSignal.timeout(ANSWER_MS) });
    if (response.status === 401 || response.status === 403 || response.redirected) throw new LoggedOut();
    if (!response.ok) throw new Error(`No token: ${response.status}`);
    const { token, sessionId } = await response.json();
    this.#store.write({ token, sessionId });
    return { token, sessionId };
  }
}

/** @returns {Record<string, string | undefined>}  the session that holds the seat, or LEFT, by table */
function readSeats() {
  return JSON.parse(readStored(SEATS_STORE, "sessionStorage") ?? "{}");
}

/**
 * @param {string} tableId
 * @param {string | undefined} holder
 */
function writeSeat(tableId, holder) {
  writeStored(SEATS_STORE, JSON.stringify({ ...readSeats(), [tableId]: holder }), "sessionStorage");
}

/** No player is logged in any more. */
export class LoggedOut extends Refusal {
  constructor() {
    super(401, "nobody is logged in", "AUTHENTICATION_FAILED");
  }
}
