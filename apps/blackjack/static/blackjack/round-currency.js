// @ts-check
/** The currency of the shown round. Pure. */

import { Currency } from "/static/portal/js/currency.js";

/** It may be another one than the table's: a player has one open round, which every table of the game shows. */
export class RoundCurrency extends Currency {
  #table;

  /** @param {Currency} table */
  constructor(table) {
    super(table.code, table.decimals);
    this.#table = table;
  }

  /** Whether the round is in the table's currency, so that its money is that of the table. */
  get isOfTable() { return this.code === this.#table.code; }

  /**
   * Use the currency of a round, which is the table's if none is named.
   * @param {{ currency?: string, decimals?: number }} round
   */
  take({ currency = this.#table.code, decimals = this.#table.decimals }) {
    this.code = currency;
    this.decimals = decimals;
  }
}
