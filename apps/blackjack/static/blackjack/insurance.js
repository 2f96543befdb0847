// @ts-check
/** The field for an amount of insurance, for rules that allow any amount up to half of the bet. Half is the default. */

import { findElement, findPart } from "/static/portal/js/dom.js";
import { tell } from "/static/portal/js/words.js";

/** @typedef {import("/static/portal/js/currency.js").Currency} Currency */

export class InsuranceAmount {
  #input;
  #limits;
  #currency;
  #roundId = "";
  #maximum = 0n;

  /**
   * @param {HTMLElement} root  the table
   * @param {object} options
   * @param {Currency} options.currency
   * @param {() => void} options.onChange  called when something is written
   * @param {() => void} options.onConfirm  called when Enter is pressed in the field
   */
  constructor(root, { currency, onChange, onConfirm }) {
    this.#input = findElement(root, "[data-part=insurance-amount]", HTMLInputElement);
    this.#limits = findPart(root, "insurance-limits");
    this.#currency = currency;
    this.#input.addEventListener("input", () => {
      this.#input.removeAttribute("aria-invalid");
      onChange();
    });
    this.#input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") onConfirm();
    });
  }

  /**
   * Ask for an amount up to `maximum`. The typed amount stays during the same round.
   * @param {string} roundId
   * @param {bigint} maximum
   */
  ask(roundId, maximum) {
    if (this.#roundId === roundId) return;
    this.#roundId = roundId;
    this.#maximum = maximum;
    this.#input.value = this.#currency.format(maximum);
    this.#input.removeAttribute("aria-invalid");
    this.#limits.textContent = tell("range", { least: this.#currency.format(1n), most: this.#currency.formatWithCode(maximum) });
  }

  /** The typed amount in smallest units; null if it is invalid or outside the limits. */
  get units() {
    const units = this.#currency.readTyped(this.#input.value);
    return units !== null && units >= 1n && units <= this.#maximum ? units : null;
  }

  /** Return the `data` of the Peek. If the amount is invalid, focus the field and return null. */
  readPeekData() {
    const { units } = this;
    if (units === null) {
      this.#input.setAttribute("aria-invalid", "true");
      this.#input.focus();
      return null;
    }
    const amount = units === this.#maximum ? {} : { insuranceAmount: this.#currency.formatPlain(units) };
    return { acceptedInsurance: true, ...amount };
  }

  /** The limits as shown beside the field. */
  get limitsText() {
    return this.#limits.textContent ?? "";
  }
}
