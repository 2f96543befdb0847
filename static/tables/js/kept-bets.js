// @ts-check
/** The last bets of a player, kept in this browser by game and currency. */

/**
 * @typedef {import("../../portal/js/currency.js").Currency} Currency
 * @typedef {import("./bets.js").Stakes} Stakes
 */

const STORE = "punto-table-bets";

export class KeptBets {
  #key;
  #currency;

  /**
   * @param {string} gameType
   * @param {Currency} currency
   */
  constructor(gameType, currency) {
    this.#key = `${STORE}:${gameType}:${currency.code}`;
    this.#currency = currency;
  }

  /** @returns {Stakes} */
  read() {
    /** @type {Record<string, string>} */
    const kept = JSON.parse(localStorage.getItem(this.#key) ?? "{}");
    return new Map(Object.entries(kept).map(([name, amount]) => [name, this.#currency.parse(amount)]));
  }

  /** @param {Stakes} stakes */
  write(stakes) {
    const amounts = Array.from(stakes, ([name, units]) => [name, this.#currency.formatPlain(units)]);
    localStorage.setItem(this.#key, JSON.stringify(Object.fromEntries(amounts)));
  }
}
