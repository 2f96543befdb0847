// @ts-check
/** The page's offers to a player whose balance is too low for a bet: a refill of play money, the partner's cashier. */

import { CashierOffer } from "./cashier.js";
import { RefillOffer } from "./refill.js";

/** @typedef {{ refill: import("./refill.js").Offer | null, cashier: import("./cashier.js").Offer }} OfferState */

export class Offers {
  #refill;
  #cashier;

  /**
   * @param {import("./player-watch.js").PlayerWatch} watch
   * @param {{ refill: HTMLElement | null, cashier: HTMLElement | null }} places
   */
  constructor(watch, { refill, cashier }) {
    this.#refill = refill && new RefillOffer(refill, watch);
    this.#cashier = cashier && new CashierOffer(cashier);
  }

  /** @param {OfferState} state */
  show({ refill, cashier }) {
    this.#refill?.show(refill);
    this.#cashier?.show(cashier);
  }
}
