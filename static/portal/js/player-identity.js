// @ts-check
/** The player at a table, identified by the token of a launch link or by the log-in's cookie. */

import { createElement, findElement } from "./dom.js";
import { isFramed } from "./frame-session.js";
import { watch } from "./player-watch.js";
import { createRandomHex } from "./random.js";
import { readRefusal, Refusal } from "./refusals.js";
import { sendSignal } from "./signals.js";
import { tell } from "./words.js";

const CLIENT_SEED_BYTES = 10;

export class PlayerIdentity {
  #player;
  #token;
  #csrfToken;
  #sessionUrl;
  #seedUrl;
  #loginUrl;

  /**
   * @param {object} options
   * @param {string} options.player  whose page it is; empty for a visitor
   * @param {string} options.token  of a launch link; empty with a log-in
   * @param {string} options.csrfToken
   * @param {string} [options.sessionUrl]  opens a game session for a log-in
   * @param {string} [options.seedUrl]  takes the first client seed; empty if a seed is chosen already
   * @param {string} [options.loginUrl]
   */
  constructor({ player, token, csrfToken, sessionUrl = "", seedUrl = "", loginUrl = "" }) {
    this.#player = player;
    this.#token = token;
    this.#csrfToken = csrfToken;
    this.#sessionUrl = sessionUrl;
    this.#seedUrl = seedUrl;
    this.#loginUrl = loginUrl;
  }

  /**
   * Return the identity in the data of a table's page.
   * @param {HTMLElement} root  the table
   * @param {{ player: string, token: string, seedUrl?: string }} data
   */
  static read(root, { player, token, seedUrl }) {
    const csrfToken = findElement(root, "[name=csrfmiddlewaretoken]", HTMLInputElement).value;
    const { sessionUrl, loginUrl } = root.dataset;
    return new PlayerIdentity({ player, token, csrfToken, sessionUrl, seedUrl, loginUrl });
  }

  /** The player; empty for a visitor before the first session. */
  get player() {
    return this.#player;
  }

  /**
   * Play as this player from now on: the guest whom another tab has made of the visitor.
   * @param {string} player
   */
  setPlayer(player) {
    this.#player = player;
  }

  /**
   * The headers that identify the player.
   * @returns {Record<string, string>}
   */
  get headers() {
    return this.#token ? { Authorization: `Bearer ${this.#token}` } : { "X-CSRFToken": this.#csrfToken };
  }

  /**
   * Return the token of a game session of the page's player. Throws Refusal if none can be opened.
   * @param {boolean} isRefused  whether the last one was refused
   * @returns {Promise<string>}
   */
  async findSession(isRefused) {
    if (this.#token && isRefused) throw new Refusal(401, "the session of the launch is over", "AUTHENTICATION_FAILED");
    if (this.#token) return this.#token;
    // Tabs do this one after the other. The answer to the first brings the cookie of a new guest, and the second uses
    // the same guest.
    return runAlone("punto-session", () => this.#openSession());
  }

  /** @returns {Promise<string>} */
  async #openSession() {
    const response = await this.#post(this.#sessionUrl, { player: this.#player });
    if (!response.ok || response.redirected) throw await this.#readRefusal(response);
    const { gameSessionId, seedUrl, player } = await response.json();
    this.#player = player;
    watch?.setPlayer(player);
    if (seedUrl) { // a visitor has become a guest
      this.#seedUrl = seedUrl;
      await this.proposeClientSeed();
    }
    return gameSessionId;
  }

  /** @param {Response} response */
  async #readRefusal(response) {
    const refusal = await readRefusal(response);
    if (refusal.page) { // too many guests of this network
      refusal.isTemporary = false;
      window.location.assign(refusal.page);
    }
    return refusal;
  }

  /** Propose the first client seed. The house has committed to both server seeds before, so it cannot react to it. */
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

/**
 * Run `act` when no other tab runs something under this name. Without HTTPS browsers have no such lock, and it runs at once.
 * @template Result
 * @param {string} name
 * @param {() => Promise<Result>} act
 * @returns {Promise<Result>}
 */
async function runAlone(name, act) {
  return navigator.locks ? await navigator.locks.request(name, act) : await act();
}
