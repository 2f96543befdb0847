/** What is offered to a player whose play money is too little for a bet. */

import { shown, unitsOf } from "./money.js";
import { sentence } from "./table.js";

export class RefillOffer {
  #element;
  #watch;
  #text;
  #button;
  #problem;

  constructor(element, watch) {
    this.#element = element;
    this.#watch = watch;
    [this.#text, this.#button, this.#problem] = [".refill-text", "button", ".problem"].map((part) => element.querySelector(part));
    this.#button.addEventListener("click", () => this.#take());
    this.show(JSON.parse(element.dataset.offer));
  }

  /** Show the server's offer, `{ amount, reason, possibleFrom }`; null hides it. */
  show(offer) {
    if (!offer) this.#problem.textContent = "";
    this.#element.hidden = !offer;
    if (!offer) return;
    const { currency, decimals } = this.#element.dataset;
    const amount = `${shown(unitsOf(offer.amount, Number(decimals)), Number(decimals))} ${currency}`;
    const texts = {
      "": `Your balance is too low for a bet. Once a day you can fill it up to ${amount}, free of charge.`,
      round: "Your balance is too low for a bet. Finish your open round first: after that you can fill it up.",
      day: `Your balance is too low for a bet, and you have filled it up today. You can do so again from ${localTime(offer.possibleFrom)}.`,
    };
    this.#text.textContent = texts[offer.reason];
    this.#button.textContent = `Fill up to ${amount}`;
    this.#button.hidden = offer.reason !== "";
  }

  async #take() {
    this.#button.disabled = true;
    this.#problem.textContent = await this.#ask();
    this.#button.disabled = false;
    if (!this.#problem.textContent && "reload" in this.#element.dataset) window.location.reload();
    else this.#watch.read();
  }

  /** Ask for the refill; return what is wrong, in words, or nothing. */
  async #ask() {
    const { value } = document.querySelector("[name=csrfmiddlewaretoken]");
    try {
      const response = await fetch(this.#element.dataset.url, { method: "POST", headers: { "X-CSRFToken": value } });
      if (response.ok && !response.redirected) return "";
      return sentence((await response.json()).message);
    } catch {
      return "That did not work. Load the page and try again.";
    }
  }
}

function localTime(text) {
  return new Date(text).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
}
