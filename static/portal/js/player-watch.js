// @ts-check
/**
 * Follows the server's state of the player, which other windows, the partner's system and the back office may change.
 *
 * A socket announces that something has changed; the page then reads the state over HTTP. Announcements may be lost, so
 * the page also reads when it becomes visible and when its connection is restored. A visitor's page has no socket: it
 * reads when another tab of the browser has a player.
 *
 * Event: `state`, a CustomEvent whose detail is the URL's JSON, which always has `balance`.
 */

import { wait } from "./motion.js";
import { sendSignal } from "./signals.js";
import { clearStored, readStored, writeStored } from "./stored.js";

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 8000;
/** The page whose player logged out in another window, until it is loaded again. */
const LEFT = "punto-left";
/** Under this name a tab tells the others that it has a player. */
const ARRIVED = "punto-arrived";

export class PlayerWatch extends EventTarget {
  #player;
  #stateUrl;
  #changesUrl;
  #token;
  /** @type {WebSocket | null} */
  #socket = null;
  #attempt = 0;
  #isHeld = false;
  #isDue = false;
  #isReading = false;
  #isOver = false;
  #holds = 0;

  /** @param {{ player?: string, stateUrl?: string, changesUrl?: string, changesToken?: string }} options */
  constructor({ player = "", stateUrl = "", changesUrl = "", changesToken = "" }) {
    super();
    this.#player = player;
    this.#stateUrl = stateUrl;
    this.#changesUrl = changesUrl;
    this.#token = changesToken;
  }

  start() {
    window.addEventListener("focus", () => this.read());
    window.addEventListener("pageshow", ({ persisted }) => persisted && this.read());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.read());
    window.addEventListener("online", () => this.read());
    window.addEventListener("offline", () => this.#socket?.close());
    window.addEventListener("storage", ({ key, newValue }) => key === ARRIVED && newValue && !this.#player && this.read());
    if (this.#player) tellOtherTabs();
    this.#connect();
  }

  /** Read the current state and dispatch it; without a network, as soon as it is back. */
  async read() {
    this.#isDue = true;
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#isDue && !this.#isHeld && navigator.onLine) {
      this.#isDue = false;
      const holds = this.#holds;
      const state = await this.#fetchState();
      if (this.#isOver) break;
      if (!state) await this.#pause();
      // A state that was requested before `hold` may be older than what the page shows.
      if (!state || this.#isHeld || holds !== this.#holds) this.#isDue = true;
      else if (!this.#takePlayer(state)) this.#loadPage(state.player);
      else this.dispatchEvent(new CustomEvent("state", { detail: state }));
    }
    this.#isReading = false;
  }

  /** Dispatch nothing until `release`, while the page acts or shows the result of its action. */
  hold() {
    this.#isHeld = true;
    this.#holds += 1;
  }

  /** Dispatch the current state, and from now on each change. */
  release() {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.read();
  }

  /**
   * Release the watch, and resolve with the next state.
   * @returns {Promise<any>}
   */
  readNext() {
    const next = new Promise((resolve) => {
      this.addEventListener("state", (event) => event instanceof CustomEvent && resolve(event.detail), { once: true });
    });
    this.release();
    return next;
  }

  /** Dispatch each change again after `hold`; the state is read if it may have changed meanwhile. */
  releaseUnread() {
    this.#isHeld = false;
    if (this.#isDue) this.read();
  }

  /**
   * Drop every state that was requested before now, since the page shows a newer one. A read in progress is repeated.
   */
  discardReading() {
    this.#holds += 1;
  }

  /**
   * Follow another player, since the visitor of this page has become a guest.
   * @param {string} player
   */
  setPlayer(player) {
    if (player !== this.#player) tellOtherTabs();
    this.#player = player;
  }

  /**
   * Return whether the state is the page's player's. A visitor who became a guest in another tab stays on the page.
   * @param {{ player: string, isGuest: boolean }} state
   */
  #takePlayer({ player, isGuest }) {
    if (!this.#player && isGuest) this.#player = player;
    return player === this.#player;
  }

  /** Return the server's state; null while it does not answer, and always after a log-out. */
  async #fetchState() {
    try {
      const response = await fetch(this.#stateUrl, { headers: { Accept: "application/json" } });
      this.#isOver = response.redirected || response.status === 403 || response.status === 401;
      if (this.#isOver) sendSignal("session-over", {});
      if (this.#isOver || !response.ok) return null;
      const state = await response.json();
      this.#token = state.changesToken;
      if (!this.#socket) this.#connect();
      return state;
    } catch {
      return null;
    }
  }

  /**
   * Load the page again, since somebody else has logged in or out in another window. Otherwise it would show the
   * balance of another player.
   * @param {string} player  empty after a log-out
   */
  #loadPage(player) {
    this.#isOver = true;
    if (!player) writeStored(LEFT, window.location.pathname, "sessionStorage");
    window.location.replace(window.location.pathname + window.location.search);
  }

  #connect() {
    if (!this.#token) return; // a visitor: nothing can change
    const socket = new WebSocket(`${this.#changesUrl}?token=${encodeURIComponent(this.#token)}`);
    this.#socket = socket;
    socket.addEventListener("message", () => {
      this.#attempt = 0;
      this.read();
    });
    socket.addEventListener("close", () => this.#handleClose(socket));
  }

  /** @param {WebSocket} socket */
  async #handleClose(socket) {
    if (socket !== this.#socket) return;
    await this.#pause();
    this.#socket = null;
    this.read(); // which gets a new token and connects
  }

  async #pause() {
    const pause = Math.min(FIRST_WAIT_MS * 2 ** this.#attempt, MAX_WAIT_MS);
    this.#attempt += 1;
    await wait(pause * (0.75 + Math.random() / 2)); // not everybody at once after a restart
  }
}

/** Tell visitors' pages in other tabs that this one has a player. Nothing stays stored. */
function tellOtherTabs() {
  writeStored(ARRIVED, "yes");
  clearStored(ARRIVED);
}

/** Return whether this page was loaded again because its player had logged out in another window. True only once. */
export function isLeftByPlayer() {
  const path = readStored(LEFT, "sessionStorage");
  clearStored(LEFT, "sessionStorage");
  return path === window.location.pathname;
}

/** The watch of this page; null on a page without a player. */
export const watch = document.body.dataset.stateUrl ? new PlayerWatch({ ...document.body.dataset }) : null;
