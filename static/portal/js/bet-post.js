/**
 * One bet, sent until it is answered. The key goes with every try, so however often the line drops
 * the bet is placed once; it is kept in the tab, so that a reload asks for the answer too.
 */

import { parseExact } from "./money.js";
import { wait } from "./motion.js";

const STORE = "punto-bet";
const WAIT_MAX_MS = 8000;

/** A refusal of the server: nothing was bet. `message` is for the player. */
export class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Return the bet of this tab that has no answer yet, `{ key, body }`, or null. */
export function unanswered() {
  return JSON.parse(sessionStorage.getItem(STORE) ?? "null");
}

/**
 * Send `body` (JSON text) and return the answer; throws Refusal. `onRetry` is told that the line is down.
 * `earlier` is an unanswered bet, sent again under its own key.
 */
export async function betPost(url, headers, { body, earlier = null, onRetry }) {
  const bet = earlier ?? { key: newKey(), body };
  sessionStorage.setItem(STORE, JSON.stringify(bet));
  for (let attempt = 0; ; attempt += 1) {
    const response = await send(url, headers, bet);
    if (response && !isPassing(response)) {
      sessionStorage.removeItem(STORE);
      return answerOf(response);
    }
    onRetry(response?.status ?? 0);
    const seconds = Number(response?.headers.get("Retry-After") ?? 0);
    await wait(Math.max(seconds * 1000, Math.min(500 * 2 ** attempt, WAIT_MAX_MS)));
  }
}

async function send(url, headers, { key, body }) {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json", "Idempotency-Key": key },
      body,
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text };
  } catch {
    return null;
  }
}

function isPassing({ status, text }) {
  return status >= 500 || status === 429 || (status === 409 && text.includes('"BUSY"'));
}

function answerOf({ status, text }) {
  let value;
  try {
    value = parseExact(text);
  } catch {
    throw new Refusal(status, "", "The table gave an answer that makes no sense. Load the page again.");
  }
  if (status === 200) return value;
  throw new Refusal(status, value.code, value.message);
}

function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
