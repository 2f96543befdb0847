// @ts-check
/**
 * The table session of this window: its token and its id. They are kept until the window is closed, so that a page that is
 * loaded again keeps its seats.
 */

import { Refusal } from "../../portal/js/refusals.js";

/**
 * @typedef {object} Credentials
 * @property {string} token
 * @property {string} sessionId
 */

const ANSWER_MS = 10_000;
const STORE = "punto-table-session";
const SEATS_STORE = "punto-table-seats";

export class CredentialStore {
  #url;
  #headers;
  /** @type {Promise<Credentials> | null} */
  #asked = null;

  /**
   * @param {object} options
   * @param {string} options.url  gives a token to who is logged in
   * @param {Record<string, string>} options.headers  say who that is
   */
  constructor({ url, headers }) {
    this.#url = url;
    this.#headers = headers;
  }

  /**
   * The session that this window already has; null for none.
   * @returns {Credentials | null}
   */
  get kept() {
    return JSON.parse(sessionStorage.getItem(STORE) ?? "null");
  }

  /** Return the window's session; a new one where there is none. Throws LoggedOut where nobody is logged in. */
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
    if (this.kept?.token === token) sessionStorage.removeItem(STORE);
  }

  /**
   * Return whether this window's session has taken the player's seat at a table.
   * @param {string} tableId
   */
  hasSeat(tableId) {
    return readSeats()[tableId] === this.kept?.sessionId;
  }

  /** @param {string} tableId */
  rememberSeat(tableId) {
    sessionStorage.setItem(SEATS_STORE, JSON.stringify({ ...readSeats(), [tableId]: this.kept?.sessionId }));
  }

  /** @returns {Promise<Credentials>} */
  async #ask() {
    const headers = { Accept: "application/json", ...this.#headers };
    const response = await fetch(this.#url, { method: "POST", headers, signal: AbortSignal.timeout(ANSWER_MS) });
    if (response.status === 401 || response.status === 403 || response.redirected) throw new LoggedOut();
    if (!response.ok) throw new Error(`No token: ${response.status}`);
    const { token, sessionId } = await response.json();
    sessionStorage.setItem(STORE, JSON.stringify({ token, sessionId }));
    return { token, sessionId };
  }
}

/** @returns {Record<string, string | undefined>}  the session that has taken the seat, by table */
function readSeats() {
  return JSON.parse(sessionStorage.getItem(SEATS_STORE) ?? "{}");
}

/** No player is logged in any more. */
export class LoggedOut extends Refusal {
  constructor() {
    super(401, "nobody is logged in", "AUTHENTICATION_FAILED");
  }
}
