// @ts-check
/** The offer of a refill to a player with too little play money for a bet. */

import { Currency } from "./currency.js";
import { findElement } from "./dom.js";
import { formatTime } from "./locale.js";
import { describeRefusal } from "./refusals.js";
import { tell } from "./words.js";

/**
 * `reason` is empty if a refill is possible, else the reason against it.
 * @typedef {object} Offer
 * @property {string} amount
 * @property {"" | "round" | "day"} reason
 * @property {string | null} possibleFrom
 *
 * @typedef {import("./player-watch.js").PlayerWatch} PlayerWatch
 */

export class RefillOffer {
  #element;
  #watch;
  #currency;
  #text;
  #button;
  #problem;

  /**
   * @param {HTMLElement} element
   * @param {PlayerWatch} watch
   */
  constructor(element, watch) {
    this.#element = element;
    this.#watch = watch;
    this.#currency = new Currency(element.dataset.currency ?? "", Number(element.dataset.decimals));
    this.#text = findElement(element, ".refill-text", HTMLElement);
    this.#button = findElement(element, "button", HTMLButtonElement);
    this.#problem = findElement(element, ".problem", HTMLElement);
    this.#button.addEventListener("click", () => this.#take());
    this.show(JSON.parse(element.dataset.offer ?? "null"));
  }

  /**
   * Show the server's offer; null hides it.
   * @param {Offer | null} offer
   */
  show(offer) {
    this.#element.hidden = !offer;
    if (!offer) {
      this.#problem.textContent = "";
      return;
    }
    const amount = this.#currency.formatWithCode(this.#currency.parse(offer.amount));
    this.#text.textContent = describeOffer(offer, amount);
    this.#button.textContent = tell("refill-fill", { amount });
    this.#button.hidden = offer.reason !== "";
  }

  async #take() {
    this.#button.disabled = true;
    // What is loaded again shows the refill at once: before that, a click on a link would be lost.
    const isReloaded = "reload" in this.#element.dataset;
    if (isReloaded) this.#watch.hold();
    this.#problem.textContent = await this.#ask();
    if (isReloaded && !this.#problem.textContent) {
      window.location.reload();
      return;
    }
    this.#button.disabled = false;
    if (isReloaded) this.#watch.release();
    else this.#watch.read();
  }

  /** Request the refill; return the text of a refusal, or nothing. */
  async #ask() {
    const { value } = findElement(document, "[name=csrfmiddlewaretoken]", HTMLInputElement);
    try {
      const response = await fetch(this.#element.dataset.url ?? "", { method: "POST", headers: { "X-CSRFToken": value } });
      if (response.ok && !response.redirected) return "";
      return describeRefusal((await response.json()).code);
    } catch {
      return describeRefusal("");
    }
  }
}

/**
 * @param {Offer} offer
 * @param {string} amount  with its currency
 */
function describeOffer({ reason, possibleFrom }, amount) {
  switch (reason) {
    case "round":
      return tell("refill-round");
    case "day":
      return tell("refill-day", { time: formatTime(possibleFrom, { dateStyle: "medium", timeStyle: "short" }) });
    default:
      return tell("refill-offer", { amount });
  }
}
