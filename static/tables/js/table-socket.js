// @ts-check
/**
 * The connection of a window to the table server, over which it watches and plays at any number of tables.
 *
 * It reconnects by itself and resumes the session. The server repeats missed messages, and each is processed once. A
 * message that waits for its answer is sent again under its own id, and the server carries out each id once. An action is
 * sent only while the request or window is open that the player saw: a later one may be about other cards.
 */

import { LoggedOut } from "./credentials.js";
import { OpenOffers } from "./open-offers.js";
import { SeenMessages } from "./seen-messages.js";
import { createMessageId, PROTOCOL_VERSION, readMessage, ServerClock, writeExact } from "./wire.js";

/**
 * @typedef {import("../../portal/js/connection-view.js").ConnectionState} ConnectionState
 * @typedef {import("./credentials.js").Credentials} Credentials
 * @typedef {import("./wire.js").Message} Message
 *
 * A message that waits for its answer.
 * @typedef {object} Waiting
 * @property {Message} message
 * @property {(answer: Message) => void} resolve
 * @property {Asked | null} offer  what it answers; null if it may be sent at any time
 * @property {number} timesSent
 *
 * The request or window that an action answers.
 * @typedef {object} Asked
 * @property {string} id  of its first message
 * @property {string} lateCode  the code of an action that was not sent before it closed
 *
 * @typedef {object} Listeners
 * @property {(state: ConnectionState) => void} onConnection
 * @property {(message: Message) => void} onTable  a message of a table, each once
 * @property {(message: Message) => void} onSession  any other message
 */

const CLOSE_TAKEN_OVER = 4001;
const SILENCE_MS = 45_000;
const ANSWER_MS = 10_000;
const FIRST_WAIT_MS = 400;
const MAX_WAIT_MS = 8000;
const SESSION_LOST = new Set(["AUTH_EXPIRED", "AUTH_INVALID", "AUTH_REQUIRED"]);

export class TableSocket {
  #url;
  #credentials;
  #listeners;
  clock = new ServerClock();
  #seen = new SeenMessages();
  /** @type {Map<string, Waiting>} */
  #waiting = new Map();
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {Credentials | null} */
  #session = null;
  #isUp = false;
  /** Whether all that the server sends after a log-in has come, so that the open requests and windows are known. */
  #isCaughtUp = false;
  #offers = new OpenOffers();
  #isStarting = false;
  #attempt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #silence;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #overdue;
  /** Connects again after a failure. @type {ReturnType<typeof setTimeout> | undefined} */
  #due;

  /**
   * @param {object} options
   * @param {string} options.url
   * @param {import("./credentials.js").CredentialStore} options.credentials
   * @param {Listeners} options.listeners
   */
  constructor({ url, credentials, listeners }) {
    this.#url = url;
    this.#credentials = credentials;
    this.#listeners = listeners;
    // Reconnect only after a lost connection. A session that was taken over belongs to the other window.
    window.addEventListener("online", () => this.#due && this.start());
    window.addEventListener("offline", () => this.#socket?.close());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.#checkConnection());
    window.addEventListener("pageshow", ({ persisted }) => persisted && this.#socket?.close());
  }

  get isUp() {
    return this.#isUp;
  }

  /** Connect, or connect again after another window took the session over. */
  async start() {
    if (this.#isStarting || this.#socket) return;
    this.#isStarting = true;
    clearTimeout(this.#due);
    this.#due = undefined;
    try {
      const isKnown = Boolean(this.#credentials.kept);
      this.#session = await this.#credentials.find();
      this.#connect(this.#session, isKnown);
    } catch (error) {
      if (error instanceof LoggedOut) this.#listeners.onConnection("over");
      else this.#retry();
    } finally {
      this.#isStarting = false;
    }
  }

  /**
   * Send a message and return its answer: an `ack`, an error, or the answer of its type.
   * @param {Record<string, unknown> & { type: string }} members
   * @param {Asked | null} [offer]
   * @returns {Promise<Message>}
   */
  ask(members, offer = null) {
    return new Promise((resolve) => {
      const message = { ...members, messageId: createMessageId() };
      const waiting = { message, resolve, offer, timesSent: 0 };
      this.#waiting.set(message.messageId, waiting);
      if (this.#isCaughtUp) this.#sendWaiting(waiting);
    });
  }

  /**
   * Send a message without waiting; its answer goes to `onSession`.
   * @param {Record<string, unknown> & { type: string }} message
   */
  tell(message) {
    if (this.#isUp) this.#send(message);
  }

  /**
   * @param {Credentials} session
   * @param {boolean} isKnown  whether the session has had a socket before
   */
  #connect(session, isKnown) {
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    this.clock.clear();
    socket.addEventListener("message", ({ data }) => {
      if (socket === this.#socket) this.#receive(readMessage(data), session, isKnown);
    });
    socket.addEventListener("close", ({ code }) => this.#handleClose(socket, code));
    this.#listen(socket);
  }

  /**
   * Restart the timer that closes a silent connection, because a dead one fires no close event. The server answers at
   * once until it has accepted the session, and sends at least a heartbeat later.
   * @param {WebSocket} socket
   * @param {number} [limitMs]
   */
  #listen(socket, limitMs = this.#isUp ? SILENCE_MS : ANSWER_MS) {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => socket.close(), limitMs);
  }

  /** Request a sign of life, since the connection of a sleeping phone may die. */
  #checkConnection() {
    if (!this.#isUp || !this.#socket) return;
    this.#send({ type: "heartbeat", direction: "ping" });
    this.#listen(this.#socket, ANSWER_MS);
  }

  /**
   * @param {Message} message
   * @param {Credentials} session
   * @param {boolean} isKnown
   */
  #receive(message, session, isKnown) {
    if (message.timestamp) this.clock.take(message.timestamp);
    if (message.type === "hello") this.#logIn(session, isKnown);
    else if (message.type === "heartbeat") this.#takeHeartbeat(message);
    else if (message.type === "authenticated") this.#takeSession(message);
    else if (!this.#isUp && SESSION_LOST.has(message.code)) this.#loseSession(session);
    else if (message.relatedMessageId) this.#takeAnswer(message);
    else if (message.tableId) this.#takeTableMessage(message);
    else this.#listeners.onSession(message);
    if (this.#socket) this.#listen(this.#socket);
  }

  /**
   * @param {Credentials} session
   * @param {boolean} isKnown
   */
  #logIn({ token, sessionId }, isKnown) {
    const lastSeenMessageId = this.#seen.lastId || undefined;
    if (isKnown) this.#send({ type: "reconnect", sessionId, token, lastSeenMessageId });
    else this.#send({ type: "authenticate", token, protocolVersion: PROTOCOL_VERSION });
  }

  /** @param {Message} message */
  #takeHeartbeat({ direction }) {
    if (direction === "ping") this.#send({ type: "heartbeat", direction: "pong" });
    else if (this.#isUp && !this.#isCaughtUp) this.#takeCaughtUp();
  }

  /** @param {Message} message */
  #takeSession(message) {
    this.#isUp = true;
    this.#attempt = 0;
    this.#listeners.onSession(message);
    this.#listeners.onConnection("up");
    // The answer comes after the states, requests and windows of all tables.
    this.#send({ type: "heartbeat", direction: "ping" });
    this.#startOverdue();
  }

  /** Send what waits, except actions whose request or window has closed meanwhile. */
  #takeCaughtUp() {
    this.#isCaughtUp = true;
    clearTimeout(this.#overdue);
    for (const waiting of this.#waiting.values()) {
      const { message, offer } = waiting;
      if (!offer || this.#offers.has(message.tableId, offer.id)) this.#sendWaiting(waiting);
      else if (this.#waiting.delete(message.messageId)) answerLate(waiting, offer);
    }
  }

  /**
   * Remember that the session has ended. The next connection uses a new one.
   * @param {Credentials} session
   */
  #loseSession({ token }) {
    this.#credentials.clear(token);
    for (const { message, resolve } of this.#waiting.values()) resolve({ ...message, type: "error", code: "AUTH_EXPIRED" });
    this.#waiting.clear();
    this.#socket?.close();
  }

  /** @param {Message} message */
  #takeTableMessage(message) {
    // A message about the current state has a new id each time, so it is always processed.
    if (message.type === "reconnect_state" || this.#seen.takeNew(message.messageId)) {
      for (const missed of message.missedMessages ?? []) if (this.#seen.takeNew(missed.messageId)) this.#listeners.onTable(missed);
      this.#offers.note(message);
      this.#listeners.onTable(message);
    }
  }

  /** @param {Message} message */
  #takeAnswer(message) {
    const waiting = this.#waiting.get(message.relatedMessageId);
    if (!waiting) {
      this.#listeners.onSession(message);
      return;
    }
    this.#waiting.delete(message.relatedMessageId);
    if (!this.#waiting.size) clearTimeout(this.#overdue);
    // The first copy arrived before the connection broke, so the state that was sent since has its effect.
    const isTaken = waiting.timesSent > 1 && message.code === "DUPLICATE_MESSAGE";
    waiting.resolve(isTaken ? { ...message, type: "ack" } : message);
  }

  /** @param {Waiting} waiting */
  #sendWaiting(waiting) {
    waiting.timesSent += 1;
    this.#send(waiting.message);
    this.#startOverdue();
  }

  /** Close a connection on which an answer does not come, so that it is opened again. */
  #startOverdue() {
    clearTimeout(this.#overdue);
    this.#overdue = setTimeout(() => this.#socket?.close(), ANSWER_MS);
  }

  /** @param {Record<string, unknown> & { type: string }} message */
  #send(message) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    this.#socket.send(writeExact({ messageId: createMessageId(), timestamp: Date.now(), ...message }));
  }

  /**
   * @param {WebSocket} socket
   * @param {number} code
   */
  #handleClose(socket, code) {
    if (socket !== this.#socket) return;
    clearTimeout(this.#silence);
    clearTimeout(this.#overdue);
    this.#isUp = false;
    this.#isCaughtUp = false;
    this.#socket = null;
    if (code === CLOSE_TAKEN_OVER) this.#listeners.onConnection("taken");
    else this.#retry();
  }

  #retry() {
    this.#listeners.onConnection("down");
    this.#due = setTimeout(() => this.start(), choosePause(this.#attempt));
    this.#attempt += 1;
  }
}

/**
 * Return the milliseconds before an attempt: random, so that not everybody connects at once after a restart.
 * @param {number} attempt
 */
function choosePause(attempt) {
  return Math.min(FIRST_WAIT_MS * 2 ** attempt, MAX_WAIT_MS) * (0.75 + Math.random() / 2);
}

/**
 * Answer an action that cannot be sent any more. Whether one that was sent before has arrived is in the table's state.
 * @param {Waiting} waiting
 * @param {Asked} offer
 */
function answerLate({ message, resolve, timesSent }, { lateCode }) {
  resolve(timesSent ? { ...message, type: "ack" } : { ...message, type: "error", code: lateCode });
}
