// @ts-check
/**
 * The last bets and the favourite bet of one game in one currency. The browser remembers them across reloads for the
 * player who placed them. Otherwise one key would bet for a player what somebody else has bet in this browser.
 */

import { readStored, writeStored } from "./stored.js";

/**
 * @typedef {import("./currency.js").Currency} Currency
 * @typedef {import("./stakes.js").Stakes} Stakes
 */

export class BetMemory {
  #game;
  #currency;
  #identity;

  /**
   * @param {string} game
   * @param {Currency} currency
   * @param {{ player: string }} identity  the player; empty for a visitor without an account
   */
  constructor(game, currency, identity) {
    this.#game = game;
    this.#currency = currency;
    this.#identity = identity;
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
   * Return the stored stakes; none if what is stored cannot be read, or is another player's. A visitor's favourite is
   * the favourite of the guest whom the first bet makes of the visitor.
   * @param {string} kind
   * @returns {Stakes}
   */
  #read(kind) {
    try {
      /** @type {{ player: string, rows: [string, string][] }} */
      const { player, rows } = JSON.parse(readStored(this.#nameEntry(kind)) ?? "");
      if (player && player !== this.#identity.player) return new Map();
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
    const rows = Array.from(stakes, ([spot, units]) => [spot, this.#currency.formatPlain(units)]);
    writeStored(this.#nameEntry(kind), JSON.stringify({ player: this.#identity.player, rows }));
  }

  /** @param {string} kind */
  #nameEntry(kind) {
    return `punto-bets:${kind}:${this.#game}:${this.#currency.code}`;
  }
}
