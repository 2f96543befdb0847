// @ts-check
/** The amount of an insurance, where the rules allow any up to half of the bet: half of it until another is written. */

import { findElement, findPart } from "/static/portal/js/dom.js";

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
      if (event.key !== "Enter") return;
      event.preventDefault(); // the form's own Enter deals
      onConfirm();
    });
  }

  /**
   * Ask for an amount up to `maximum`. What is written stays for as long as it is the same round.
   * @param {string} roundId
   * @param {bigint} maximum
   */
  ask(roundId, maximum) {
    if (this.#roundId === roundId) return;
    this.#roundId = roundId;
    this.#maximum = maximum;
    this.#input.value = this.#currency.format(maximum).replaceAll(",", "");
    this.#input.removeAttribute("aria-invalid");
    this.#limits.textContent = `${this.#currency.format(1n)} to ${this.#currency.formatWithCode(maximum)}`;
  }

  /** What is written, in smallest units; null where that is no amount, or not within the limits. */
  get units() {
    const text = this.#input.value.trim();
    const match = /^\d+(?:\.(\d+))?$/.exec(text);
    if (!match || (match[1] ?? "").length > this.#currency.decimals) return null;
    const units = this.#currency.parse(text);
    return units >= 1n && units <= this.#maximum ? units : null;
  }

  /** Return the `data` of the Peek; null where the amount is not possible, and the field is focused then. */
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

  /** The limits as they are written beside the field. */
  get limitsText() {
    return this.#limits.textContent ?? "";
  }
}
