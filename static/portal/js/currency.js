// @ts-check
/** The amounts of one currency. Pure. */

import { formatAmount, formatPlain, parseUnits, readTyped } from "./money.js";

export class Currency {
  /**
   * @param {string} code
   * @param {number} decimals
   */
  constructor(code, decimals) {
    this.code = code;
    this.decimals = decimals;
  }

  /**
   * Return the smallest units of a plain decimal text.
   * @param {string} text
   */
  parse(text) {
    return parseUnits(text, this.decimals);
  }

  /**
   * Return the smallest units of an amount that somebody typed, or null.
   * @param {string} text
   */
  readTyped(text) {
    return readTyped(text, this.decimals);
  }

  /**
   * Return the amount for people, without the currency: "1,000.00".
   * @param {bigint} units
   */
  format(units) {
    return formatAmount(units, this.decimals);
  }

  /**
   * Return the amount for people, with the currency: "1,000.00 FUN". No line ends between them.
   * @param {bigint} units
   */
  formatWithCode(units) {
    return `${this.format(units)}\u00a0${this.code}`;
  }

  /**
   * Return the number of whole units of the currency, without the sign.
   * @param {bigint} units
   */
  countWhole(units) {
    return (units < 0n ? -units : units) / 10n ** BigInt(this.decimals);
  }

  /**
   * Return the amount for the API: "1000".
   * @param {bigint} units
   */
  formatPlain(units) {
    return formatPlain(units, this.decimals);
  }
}
