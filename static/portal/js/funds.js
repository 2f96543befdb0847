// @ts-check
/** The amount that the player can stake: the server's balance, less the stake of an action that was just sent. */

import { showBalance } from "./balance.js";

export class Funds {
  #currency;
  /** Stakes of an open round excluded. */
  units;
  /**
   * The balance before the stake that was just sent; null once the server has sent the balance.
   * @type {bigint | null}
   */
  #before = null;

  /**
   * @param {import("./currency.js").Currency} currency
   * @param {string} balance  as plain text
   */
  constructor(currency, balance) {
    this.#currency = currency;
    this.units = currency.parse(balance);
  }

  /**
   * Take the server's balance, which the page shows already.
   * @param {string} balance  as plain text
   */
  take(balance) {
    this.units = this.#currency.parse(balance);
    this.#before = null;
  }

  /**
   * Show the server's balance.
   * @param {string} balance  as plain text
   */
  show(balance) {
    this.take(balance);
    showBalance(balance);
  }

  /**
   * Show the balance without a stake that was just sent. The server's balance replaces it.
   * @param {bigint} stake
   */
  showSpent(stake) {
    const before = this.units;
    this.show(this.#currency.formatPlain(before > stake ? before - stake : 0n));
    this.#before = before;
  }

  /** Show the balance with the stake that was just sent: it was refused. */
  showUnspent() {
    if (this.#before !== null) this.show(this.#currency.formatPlain(this.#before));
  }
}
