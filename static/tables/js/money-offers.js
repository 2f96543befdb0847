// @ts-check
/** The offers to a player with too little money for a bet: a refill of play money, the partner's cashier. */

import { findPart } from "../../portal/js/dom.js";
import { watch } from "../../portal/js/player-watch.js";

/** The offers are part of the page's only table. With several tables they are above all of them. */
export class MoneyOffers {
  #offers = findPart(document, "offers");
  #isOne;

  /**
   * @param {object} options
   * @param {boolean} options.isOne  whether the page has one table
   * @param {(balance: string) => void} options.onBalance  called with the balance, which another window may have changed
   */
  constructor({ isOne, onBalance }) {
    this.#isOne = isOne;
    watch?.addEventListener("state", (event) => event instanceof CustomEvent && onBalance(event.detail.balance));
  }

  /**
   * @param {HTMLElement} table
   * @param {boolean} isPoints  no money is staked there
   */
  place(table, isPoints) {
    if (!this.#isOne) return;
    if (isPoints) this.#offers.remove();
    else findPart(table, "betting").before(this.#offers);
  }

  /**
   * Request the offers again, since the end of a round may allow one. A lost round moves no money, so no announcement
   * says so.
   */
  read() {
    if (document.querySelector("[data-broke]")) watch?.read();
  }
}
