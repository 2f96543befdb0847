// @ts-check
/** The last bets and the favourite bet of one game in one currency. The browser remembers them across reloads. */

import { readStored, writeStored } from "./stored.js";

/**
 * @typedef {import("./currency.js").Currency} Currency
 * @typedef {import("./stakes.js").Stakes} Stakes
 */

export class BetMemory {
  #game;
  #currency;

  /**
   * @param {string} game
   * @param {Currency} currency
   */
  constructor(game, currency) {
    this.#game = game;
    this.#currency = currency;
  }

  get last() {
    return this.#read("last");
  }

  set last(stakes) {
    this.#write("last", stakes);
  }

  get favourite() {
    return this.#read("favourite");
  }

  set favourite(stakes) {
    this.#write("favourite", stakes);
  }

  /**
   * Return the stored stakes; none if what is stored cannot be read.
   * @param {string} kind
   * @returns {Stakes}
   */
  #read(kind) {
    try {
      /** @type {[string, string][]} */
      const rows = JSON.parse(readStored(this.#nameEntry(kind)) ?? "[]");
      return new Map(rows.map(([spot, amount]) => [spot, this.#currency.parse(amount)]));
    } catch {
      return new Map();
    }
  }

  /**
   * @param {string} kind
   * @param {Stakes} stakes
   */
  #write(kind, stakes) {
    writeStored(this.#nameEntry(kind), JSON.stringify(Array.from(stakes, ([spot, units]) => [spot, this.#currency.formatPlain(units)])));
  }

  /** @param {string} kind */
  #nameEntry(kind) {
    return `punto-bets:${kind}:${this.#game}:${this.#currency.code}`;
  }
}
