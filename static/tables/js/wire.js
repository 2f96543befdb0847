// @ts-check
/**
 * Messages of the table protocol (docs/tables.md) as text. Pure, except for random ids.
 *
 * Amounts are JSON numbers with exact decimals, which a float might not hold. So each number of a message is read as
 * text, and an amount is written as an `ExactNumber`.
 */

import { parseExact } from "../../portal/js/money.js";

export const PROTOCOL_VERSION = "1.0";
/** The codes of ranks 1 to 13. */
export const RANKS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];

const UUID_BYTES = 16;
const VERSION_AT = 6;
const VARIANT_AT = 8;

/**
 * A message: `type`, `messageId`, and the fields of the type. Numbers are texts.
 * @typedef {Record<string, any> & { type: string, messageId: string }} Message
 */

/** A number that is written as its plain decimal text. */
export class ExactNumber {
  /** @param {string} text */
  constructor(text) {
    if (!/^-?\d+(\.\d+)?$/.test(text)) throw new Error(`This is no plain decimal number: ${text}`);
    this.text = text;
  }
}

/**
 * Return the code of a card in a table's message.
 * @param {{ suit: string, rank: string | number }} card  rank 1 to 13
 */
export function writeCardCode({ suit, rank }) {
  return suit[0].toUpperCase() + RANKS[Number(rank) - 1];
}

/** Return a new random UUID of version 4; browsers have no `crypto.randomUUID` over plain HTTP. */
export function createMessageId() {
  const bytes = crypto.getRandomValues(new Uint8Array(UUID_BYTES));
  bytes[VERSION_AT] = (bytes[VERSION_AT] & 0x0f) | 0x40;
  bytes[VARIANT_AT] = (bytes[VARIANT_AT] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/**
 * Return the value as JSON.
 * @param {unknown} value
 * @returns {string}
 */
export function writeExact(value) {
  if (value instanceof ExactNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeExact).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeExact(member)}`).join(",")}}`;
}

/**
 * Return the server's message.
 * @param {string} text
 * @returns {Message}
 */
export function readMessage(text) {
  return parseExact(text);
}

/** How far the server's clock is ahead of ours, from the timestamps of its messages. */
export class ServerClock {
  #offsetMs = Number.NEGATIVE_INFINITY;
  #readOwnMs;

  /** @param {() => number} [readOwnMs]  a clock of ours that never goes back */
  constructor(readOwnMs = () => performance.now()) {
    this.#readOwnMs = readOwnMs;
  }

  /**
   * Take the timestamp of a new message. The message with the shortest way gives the best offset.
   * @param {number | string} timestamp  in milliseconds since 1970
   */
  take(timestamp) {
    this.#offsetMs = Math.max(this.#offsetMs, Number(timestamp) - this.#readOwnMs());
  }

  /** Forget the offset: this computer may have slept. */
  clear() {
    this.#offsetMs = Number.NEGATIVE_INFINITY;
  }

  /**
   * Return the milliseconds until a time of the server's clock, at least 0.
   * @param {number} serverMs
   */
  countLeft(serverMs) {
    if (!Number.isFinite(this.#offsetMs)) return 0;
    return Math.max(0, serverMs - (this.#readOwnMs() + this.#offsetMs));
  }
}
