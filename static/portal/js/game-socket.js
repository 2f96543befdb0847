// @ts-check
/**
 * The connection to the game server. It reconnects automatically. An action is sent under one `eventId` until it is
 * answered, across lost connections and reloads, so it happens once.
 */

import { wait } from "./motion.js";
import { createRandomHex } from "./random.js";
import { Refusal } from "./refusals.js";
import { TabStore } from "./tab-store.js";

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
 * @property {boolean} isRepeat  whether the page may already show the action's outcome, or part of it
 *
 * @typedef {object} RefusedAction
 * @property {string} code
 * @property {string} message
 * @property {string} action
 * @property {boolean} isUnknown  whether nobody knows if the action was carried out
 *
 * @typedef {object} Listeners
 * @property {(state: ConnectionState) => void} onConnection
 * @property {(answer: Answer) => void} onAnswer
 * @property {(refusal: RefusedAction) => void} onRefusal
 * @property {(terms: Record<string, any>) => void} onConfig  new terms of the game
 */

const ID_BYTES = 16;
const CLOSE_REFUSED = 4000;
const CLOSE_TAKEN_OVER = 4001;
const ANSWER_TIMEOUT_MS = 10_000;
const BUSY_WAIT_MS = 1000;
const FIRST_WAIT_MS = 400;
const MAX_WAIT_MS = 8000;
const TEMPORARY_CODES = new Set(["RATE_LIMITED", "BUSY", "SERVICE_UNAVAILABLE"]);
/** After these codes the server may have carried the action out. */
const UNKNOWN_CODES = new Set(["SERVICE_UNAVAILABLE", "INTERNAL_ERROR"]);
/** The number of times that an action is sent before the player gets a message. Without a connection it is not sent. */
const MAX_SENDS = 8;

export class GameSocket {
  #url;
  #game;
  #identity;
  /** @type {TabStore<PendingAction>} */
  #unanswered;
  /** The action that has no answer yet. @type {PendingAction | null} */
  #pending;
  #sends = 0;
  /** Whether the pending action may have been carried out. */
  #isUnknown;
  #preferences;
  #listeners;
  /** @type {string | null} */
  #token = null;
  /** @type {WebSocket | null} */
  #socket = null;
  #isUp = false;
  #isStarting = false;
  #isRefused = false;
  #attempt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** Connects again after a failure. @type {ReturnType<typeof setTimeout> | undefined} */
  #due;

  /**
   * @param {object} options
   * @param {string} options.url
   * @param {string} options.game  its id on the wire
   * @param {import("./player-identity.js").PlayerIdentity} options.identity  says who plays
   * @param {Record<string, string>} options.preferences  what goes with Authenticate
   * @param {Listeners} options.listeners
   */
  constructor({ url, game, identity, preferences, listeners }) {
    this.#url = url;
    this.#game = game;
    this.#identity = identity;
    this.#unanswered = new TabStore(`punto-action:${game}`, identity);
    this.#pending = this.#unanswered.read();
    this.#isUnknown = Boolean(this.#pending);
    this.#preferences = preferences;
    this.#listeners = listeners;
    // Reconnect only after a lost connection. A visitor has none yet, and another window may have taken the session
    // over.
    window.addEventListener("online", () => this.#due && this.start());
    window.addEventListener("offline", () => this.#socket?.close());
  }

  /** Whether an action has no answer yet. */
  get isPending() {
    return Boolean(this.#pending);
  }

  /** Connect, or connect again after another window took the session over. */
  async start() {
    if (this.#isStarting || this.#socket) return;
    this.#isStarting = true;
    clearTimeout(this.#due);
    this.#due = undefined;
    try {
      this.#token ??= await this.#identity.findSession(this.#isRefused);
      this.#connect(this.#token);
    } catch (error) {
      if (error instanceof Refusal && !error.isTemporary) this.#end(error);
      else this.#retry();
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
    this.#pending = { eventId: createRandomHex(ID_BYTES), action, data };
    this.#sends = 0;
    this.#isUnknown = false;
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
    if (!this.#pending) return;
    if (this.#sends === MAX_SENDS) {
      this.#tellRefusal({ code: "INTERNAL_ERROR", message: "the action gets no answer" });
      return;
    }
    this.#sends += 1;
    this.#unanswered.write(this.#pending);
    this.#send({ eventType: "RoundAction", gameId: this.#game, ...this.#pending });
    clearTimeout(this.#timer);
    // A connection that was lost silently has no close event.
    this.#timer = setTimeout(() => this.#socket?.close(), ANSWER_TIMEOUT_MS);
  }

  /** @param {Message} message */
  #receive(message) {
    if (this.#pending && message.eventId === this.#pending.eventId) {
      clearTimeout(this.#timer);
      this.#handleAnswer(message, this.#pending);
      return;
    }
    switch (message.eventType) {
      case "Authenticate":
        this.#isUp = true;
        this.#isRefused = false;
        this.#attempt = 0;
        this.#listeners.onConnection("up");
        this.#sendPending();
        break;
      case "UpdateConfig":
        this.#listeners.onConfig(message.data);
        break;
      default: // an Error without an action: the close code of the connection decides
    }
  }

  /**
   * @param {Message} message
   * @param {PendingAction} pending
   */
  async #handleAnswer(message, pending) {
    const isRefused = message.eventType === "Error" || message.eventType === "Warning";
    this.#isUnknown ||= isRefused && UNKNOWN_CODES.has(message.code);
    if (isRefused && TEMPORARY_CODES.has(message.code) && this.#sends < MAX_SENDS) {
      await wait(BUSY_WAIT_MS);
      if (this.#isUp && this.#pending === pending) this.#sendPending();
    } else if (isRefused) {
      this.#tellRefusal({ code: message.code, message: message.message });
    } else {
      this.#clearPending();
      this.#listeners.onAnswer({ message, data: pending.data, isRepeat: this.#isUnknown });
    }
  }

  /** @param {{ code: string, message: string }} refusal */
  #tellRefusal({ code, message }) {
    if (!this.#pending) return;
    const { action } = this.#pending;
    this.#clearPending();
    this.#listeners.onRefusal({ code, message, action, isUnknown: this.#isUnknown });
  }

  #clearPending() {
    this.#pending = null;
    this.#unanswered.clear();
  }

  /**
   * Give up without a session. The waiting action is dropped, since the next session may be another person's.
   * @param {Refusal} refusal
   */
  #end(refusal) {
    this.#listeners.onConnection("over");
    this.#tellRefusal(refusal);
  }

  /**
   * @param {WebSocket} socket
   * @param {number} code
   */
  #handleClose(socket, code) {
    if (socket !== this.#socket) return;
    clearTimeout(this.#timer);
    this.#isUnknown ||= this.#sends > 0;
    this.#isRefused = !this.#isUp && code === CLOSE_REFUSED;
    if (this.#isRefused) this.#token = null; // the session has ended, so a new one is needed
    this.#isUp = false;
    this.#socket = null;
    if (code === CLOSE_TAKEN_OVER) this.#listeners.onConnection("taken");
    else this.#retry();
  }

  #retry() {
    this.#listeners.onConnection("down");
    const pause = Math.min(FIRST_WAIT_MS * 2 ** this.#attempt, MAX_WAIT_MS);
    this.#attempt += 1;
    // random, so that clients do not reconnect at once after a restart
    this.#due = setTimeout(() => this.start(), pause * (0.75 + Math.random() / 2));
  }
}
