// @ts-check
/**
 * The connection to the game server. It reconnects automatically. An action is sent under one `eventId` until it is
 * answered, across lost connections and reloads, so it happens once.
 */

import { wait } from "./motion.js";
import { createRandomHex } from "./random.js";

/**
 * @typedef {import("./connection-view.js").ConnectionState} ConnectionState
 *
 * @typedef {object} PendingAction
 * @property {string} eventId
 * @property {string} action
 * @property {Record<string, unknown>} data
 *
 * A message of the server (docs/protocol.md); its members depend on its `eventType`.
 * @typedef {Record<string, any>} Message
 *
 * @typedef {object} Answer
 * @property {Message} message
 * @property {Record<string, any>} data  what the action was sent with
 * @property {boolean} isRepeat  whether the page may show the action's outcome, or part of it, already
 *
 * @typedef {{ code: string, message: string, action: string }} Refusal
 *
 * @typedef {object} Listeners
 * @property {(state: ConnectionState) => void} onConnection
 * @property {(answer: Answer) => void} onAnswer
 * @property {(refusal: Refusal) => void} onRefusal
 * @property {(terms: Record<string, any>) => void} onConfig  new terms of the game
 */

const PENDING = "punto-action";
const ID_BYTES = 16;
const CLOSE_REFUSED = 4000;
const CLOSE_TAKEN_OVER = 4001;
const ANSWER_TIMEOUT_MS = 10_000;
const BUSY_WAIT_MS = 1000;
const WAIT_FIRST_MS = 400;
const WAIT_MAX_MS = 8000;
const TEMPORARY_CODES = new Set(["RATE_LIMITED", "BUSY", "SERVICE_UNAVAILABLE"]);

export class GameSocket {
  #url;
  #game;
  #findSession;
  #preferences;
  #listeners;
  /** @type {string | null} */
  #token = null;
  /** @type {WebSocket | null} */
  #socket = null;
  #isUp = false;
  #isRepeat = false;
  #isStarting = false;
  #isRefused = false;
  #attempt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {object} options
   * @param {string} options.url
   * @param {string} options.game  its id on the wire
   * @param {(isRefused: boolean) => Promise<string | null>} options.findSession  a session's token; null for none to be had
   * @param {Record<string, string>} options.preferences  what goes with Authenticate
   * @param {Listeners} options.listeners
   */
  constructor({ url, game, findSession, preferences, listeners }) {
    this.#url = url;
    this.#game = game;
    this.#findSession = findSession;
    this.#preferences = preferences;
    this.#listeners = listeners;
    window.addEventListener("online", () => this.start());
    window.addEventListener("offline", () => this.#socket?.close());
  }

  /**
   * The action that has no answer yet.
   * @returns {PendingAction | null}
   */
  get pending() {
    return JSON.parse(sessionStorage.getItem(PENDING) ?? "null");
  }

  /** Connect, or connect again after another window took the session over. */
  async start() {
    if (this.#isStarting || this.#socket) return;
    this.#isStarting = true;
    try {
      this.#token ??= await this.#findSession(this.#isRefused);
      if (this.#token) this.#connect(this.#token);
      else this.#listeners.onConnection("over");
    } catch {
      this.#retry();
    } finally {
      this.#isStarting = false;
    }
  }

  /**
   * Send an action; one at a time.
   * @param {string} action
   * @param {Record<string, unknown>} [data]
   */
  act(action, data = {}) {
    sessionStorage.setItem(PENDING, JSON.stringify({ eventId: createRandomHex(ID_BYTES), action, data }));
    this.#isRepeat = false;
    if (this.#isUp) this.#sendPending();
  }

  /** @param {string} token */
  #connect(token) {
    const socket = new WebSocket(`${this.#url}?game_session_id=${encodeURIComponent(token)}`);
    this.#socket = socket;
    socket.addEventListener("open", () => this.#send({
      eventType: "Authenticate", eventId: createRandomHex(ID_BYTES), data: this.#preferences,
    }));
    socket.addEventListener("message", ({ data }) => this.#receive(JSON.parse(data)));
    socket.addEventListener("close", ({ code }) => this.#handleClose(socket, code));
  }

  /** @param {Message} message */
  #send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #sendPending() {
    const { pending } = this;
    if (!pending) return;
    this.#send({ eventType: "RoundAction", gameId: this.#game, ...pending });
    clearTimeout(this.#timer);
    // A connection that was lost silently has no close event.
    this.#timer = setTimeout(() => this.#socket?.close(), ANSWER_TIMEOUT_MS);
  }

  /** @param {Message} message */
  #receive(message) {
    const { pending } = this;
    if (pending && message.eventId === pending.eventId) {
      clearTimeout(this.#timer);
      this.#handleAnswer(message, pending);
      return;
    }
    switch (message.eventType) {
      case "Authenticate":
        this.#isUp = true;
        this.#isRefused = false;
        this.#attempt = 0;
        this.#isRepeat = Boolean(pending);
        this.#listeners.onConnection("up");
        this.#sendPending();
        break;
      case "UpdateConfig":
        this.#listeners.onConfig(message.data);
        break;
      default: // an Error without an action: the close code of the connection decides what follows
    }
  }

  /**
   * @param {Message} message
   * @param {PendingAction} pending
   */
  async #handleAnswer(message, pending) {
    if (message.eventType === "Error" && TEMPORARY_CODES.has(message.code)) {
      await wait(BUSY_WAIT_MS);
      if (this.#isUp) this.#sendPending();
      return;
    }
    sessionStorage.removeItem(PENDING);
    if (message.eventType === "Error" || message.eventType === "Warning") {
      this.#listeners.onRefusal({ code: message.code, message: message.message, action: pending.action });
    } else {
      this.#listeners.onAnswer({ message, data: pending.data, isRepeat: this.#isRepeat });
    }
  }

  /**
   * @param {WebSocket} socket
   * @param {number} code
   */
  #handleClose(socket, code) {
    if (socket !== this.#socket) return;
    clearTimeout(this.#timer);
    this.#isRefused = !this.#isUp && code === CLOSE_REFUSED;
    if (this.#isRefused) this.#token = null; // the session has ended, so a new one is needed
    this.#isUp = false;
    this.#socket = null;
    if (code === CLOSE_TAKEN_OVER) this.#listeners.onConnection("taken");
    else this.#retry();
  }

  async #retry() {
    this.#listeners.onConnection("down");
    const pause = Math.min(WAIT_FIRST_MS * 2 ** this.#attempt, WAIT_MAX_MS);
    this.#attempt += 1;
    await wait(pause * (0.75 + Math.random() / 2)); // random, so that clients do not reconnect at once after a restart
    this.start();
  }
}
