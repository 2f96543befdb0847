// @ts-check
/**
 * The offer of the partner's cashier to a player whose balance is too low for a bet. It is a link if the cashier's
 * address is known.
 */

import { isFramed } from "./frame-session.js";
import { sendSignal } from "./signals.js";

/** @typedef {{ url: string } | null} Offer */

export class CashierOffer {
  #element;
  #link;

  /** @param {HTMLElement} element */
  constructor(element) {
    this.#element = element;
    this.#link = element.querySelector("a");
    if (isFramed) {
      this.#link?.addEventListener("click", (event) => {
        event.preventDefault(); // the host page opens the cashier
        sendSignal("money-asked", {});
      });
    }
    this.show(JSON.parse(element.dataset.offer ?? "null"));
  }

  /**
   * Show the server's offer; null hides it.
   * @param {Offer} offer
   */
  show(offer) {
    this.#element.hidden = !offer;
    if (offer && this.#link) this.#link.href = offer.url;
  }
}
