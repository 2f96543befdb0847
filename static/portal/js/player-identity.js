// @ts-check
/** The player at a table, identified by the token of a launch link or by the log-in's cookie. */

import { runAlone } from "./alone.js";
import { createElement, findElement } from "./dom.js";
import { isFramed } from "./frame-session.js";
import { createRandomHex } from "./random.js";
import { sendSignal } from "./signals.js";
import { tell } from "./words.js";

const CLIENT_SEED_BYTES = 10;

export class PlayerIdentity {
  #token;
  #csrfToken;
  #sessionUrl;
  #seedUrl;
  #loginUrl;

  /**
   * @param {object} options
   * @param {string} options.token  of a launch link; empty with a log-in
   * @param {string} options.csrfToken
   * @param {string} [options.sessionUrl]  opens a game session for a log-in
   * @param {string} [options.seedUrl]  takes the first client seed; empty where one is chosen
   * @param {string} [options.loginUrl]
   */
  constructor({ token, csrfToken, sessionUrl = "", seedUrl = "", loginUrl = "" }) {
    this.#token = token;
    this.#csrfToken = csrfToken;
    this.#sessionUrl = sessionUrl;
    this.#seedUrl = seedUrl;
    this.#loginUrl = loginUrl;
  }

  /**
   * Return the identity in the data of a table's page.
   * @param {HTMLElement} root  the table
   * @param {{ token: string, seedUrl?: string }} data
   */
  static read(root, { token, seedUrl }) {
    const csrfToken = findElement(root, "[name=csrfmiddlewaretoken]", HTMLInputElement).value;
    const { sessionUrl, loginUrl } = root.dataset;
    return new PlayerIdentity({ token, csrfToken, sessionUrl, seedUrl, loginUrl });
  }

  /**
   * The headers that identify the player.
   * @returns {Record<string, string>}
   */
  get headers() {
    return this.#token ? { Authorization: `Bearer ${this.#token}` } : { "X-CSRFToken": this.#csrfToken };
  }

  /**
   * Return the token of a game session, or null if none can be opened.
   * @param {boolean} isRefused  whether the last one was refused
   * @returns {Promise<string | null>}
   */
  async findSession(isRefused) {
    if (this.#token) return isRefused ? null : this.#token;
    // One tab after the other: the first one's answer brings the cookie of a new guest, whom the second one then is.
    return runAlone("punto-session", () => this.#openSession());
  }

  /** @returns {Promise<string | null>} */
  async #openSession() {
    const response = await this.#post(this.#sessionUrl, {});
    if (response.redirected || response.status === 403) return null;
    const { gameSessionId, seedUrl, page } = await response.json();
    if (page) window.location.assign(page); // too many guests
    if (seedUrl) { // a visitor has become a guest
      this.#seedUrl = seedUrl;
      await this.proposeClientSeed();
    }
    return gameSessionId ?? null;
  }

  /** Propose the first client seed. Both server seeds are committed by now, so the house cannot react to it. */
  async proposeClientSeed() {
    if (!this.#seedUrl) return;
    // Without an answer the pair keeps its seed; the player may set another at any time.
    await this.#post(this.#seedUrl, { client_seed: createRandomHex(CLIENT_SEED_BYTES) }).catch(() => null);
  }

  /** Return a link to log in again, which leads back to the table. */
  createLoginLink() {
    sendSignal("session-over", {});
    if (isFramed) return createElement("span", "", tell("frame-opens-again"));
    const link = createElement("a", "", tell("log-in-again"));
    link.href = this.#loginUrl;
    return link;
  }

  /**
   * @param {string} url
   * @param {Record<string, string>} members
   */
  #post(url, members) {
    const body = new FormData();
    body.append("csrfmiddlewaretoken", this.#csrfToken);
    for (const [name, value] of Object.entries(members)) body.append(name, value);
    return fetch(url, { method: "POST", body });
  }
}
