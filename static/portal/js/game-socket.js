/**
 * The line to the game server. It comes back by itself, and an action is sent under one `eventId` until it is
 * answered, over dropped lines and reloads: the server carries it out once.
 *
 * Events: `line` (detail: "up", "down", "taken", "over"), `update` (the answer to an action: { message, data, isRepeat },
 * where a repeated action may be part of what the page shows already), `refusal` (detail: { code, message, action }),
 * `config`.
 */

import { wait } from "./motion.js";

const GAME = "og-blackjack";
const PENDING = "punto-action";
const CLOSE_REFUSED = 4000;
const CLOSE_TAKEN_OVER = 4001;
const ANSWER_TIMEOUT_MS = 10_000;
const WAIT_FIRST_MS = 400;
const WAIT_MAX_MS = 8000;
const PASSING = new Set(["RATE_LIMITED", "BUSY", "SERVICE_UNAVAILABLE"]);

export class GameSocket extends EventTarget {
  #url;
  #sessionFind;
  #token = null;
  #link = null;
  #isUp = false;
  #isRepeat = false;
  #isStarting = false;
  #isRefused = false;
  #attempt = 0;
  #timer = 0;

  /** `sessionFind(isRefused)` resolves to a session's token, or to null where there is none to be had. */
  constructor({ url, sessionFind }) {
    super();
    this.#url = url;
    this.#sessionFind = sessionFind;
    window.addEventListener("online", () => this.start());
    window.addEventListener("offline", () => this.#link?.close());
  }

  /** The action that waits for its answer: `{ eventId, action, data }`, or null. */
  get pending() {
    return JSON.parse(sessionStorage.getItem(PENDING) ?? "null");
  }

  /** Connect, or connect again after another window took the game over. */
  async start() {
    if (this.#isStarting || this.#link) return;
    this.#isStarting = true;
    try {
      this.#token ??= await this.#sessionFind(this.#isRefused);
      if (this.#token) this.#connect();
      else this.#tell("line", "over");
    } catch {
      this.#retry();
    } finally {
      this.#isStarting = false;
    }
  }

  /** Send an action; one at a time. */
  act(action, data = {}) {
    const pending = { eventId: newId(), action, data };
    sessionStorage.setItem(PENDING, JSON.stringify(pending));
    this.#isRepeat = false;
    if (this.#isUp) this.#pendingSend();
  }

  #connect() {
    const link = new WebSocket(`${this.#url}?game_session_id=${encodeURIComponent(this.#token)}`);
    this.#link = link;
    link.addEventListener("open", () => this.#send("Authenticate"));
    link.addEventListener("message", ({ data }) => this.#receive(JSON.parse(data)));
    link.addEventListener("close", ({ code }) => this.#closed(link, code));
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  #send(eventType, members = {}) {
    const event = { eventType, eventId: newId(), ...members };
    if (eventType !== "Authenticate") event.gameId = GAME;
    if (this.#link?.readyState === WebSocket.OPEN) this.#link.send(JSON.stringify(event));
  }

  #pendingSend() {
    const { pending } = this;
    if (!pending) return;
    this.#send("RoundAction", pending);
    clearTimeout(this.#timer);
    // A line that died silently gives no close of its own.
    this.#timer = setTimeout(() => this.#link?.close(), ANSWER_TIMEOUT_MS);
  }

  #receive(message) {
    const { pending } = this;
    if (pending && message.eventId === pending.eventId) {
      clearTimeout(this.#timer);
      this.#answered(message, pending);
      return;
    }
    switch (message.eventType) {
      case "Authenticate":
        this.#isUp = true;
        this.#isRefused = false;
        this.#attempt = 0;
        this.#isRepeat = Boolean(pending);
        this.#tell("line", "up");
        this.#pendingSend();
        break;
      case "UpdateConfig":
        this.#tell("config", message.data);
        break;
      default: // an Error that belongs to no action: the connection's close says what follows
    }
  }

  async #answered(message, pending) {
    if (message.eventType === "Error" && PASSING.has(message.code)) {
      await wait(1000);
      if (this.#isUp) this.#pendingSend();
      return;
    }
    sessionStorage.removeItem(PENDING);
    const isRefusal = message.eventType === "Error" || message.eventType === "Warning";
    if (isRefusal) this.#tell("refusal", { ...message, action: pending.action });
    else this.#tell("update", { message, data: pending.data, isRepeat: this.#isRepeat });
  }

  #closed(link, code) {
    if (link !== this.#link) return;
    clearTimeout(this.#timer);
    this.#isRefused = !this.#isUp && code === CLOSE_REFUSED;
    if (this.#isRefused) this.#token = null; // the session is over: another one is asked for
    this.#isUp = false;
    this.#link = null;
    if (code === CLOSE_TAKEN_OVER) this.#tell("line", "taken");
    else this.#retry();
  }

  async #retry() {
    this.#tell("line", "down");
    const pause = Math.min(WAIT_FIRST_MS * 2 ** this.#attempt, WAIT_MAX_MS);
    this.#attempt += 1;
    await wait(pause * (0.75 + Math.random() / 2)); // not everybody at once after a restart
    this.start();
  }
}

function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
