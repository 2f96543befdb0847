/** The amount of an insurance, where the rules allow any up to half of the bet: half of it until another is written. */

import { plain, shown, unitsOf } from "/static/portal/js/money.js";

export class InsuranceAmount {
  #elements;
  #money;
  #roundId = null;
  #top = 0n;

  /**
   * `input` takes the amount, `limits` says what is possible. `changed` is called when something is written,
   * `confirmed` when Enter is pressed in the field.
   */
  constructor({ input, limits }, { decimals, currency, changed, confirmed }) {
    this.#elements = { input, limits };
    this.#money = { decimals, currency };
    input.addEventListener("input", () => {
      input.removeAttribute("aria-invalid");
      changed();
    });
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // the form's own Enter deals
      confirmed();
    });
  }

  /** Ask for an amount up to `top`, in smallest units. What is written stays for as long as it is the same round. */
  ask(roundId, top) {
    if (this.#roundId === roundId) return;
    const { input, limits } = this.#elements;
    const { decimals, currency } = this.#money;
    this.#roundId = roundId;
    this.#top = top;
    input.value = shown(top, decimals).replaceAll(",", "");
    input.removeAttribute("aria-invalid");
    limits.textContent = `${shown(1n, decimals)} to ${shown(top, decimals)} ${currency}`;
  }

  /** What is written, in smallest units; null where that is no amount, or not within the limits. */
  get units() {
    const { decimals } = this.#money;
    const text = this.#elements.input.value.trim();
    const written = /^\d+(?:\.(\d+))?$/.exec(text);
    if (!written || (written[1] ?? "").length > decimals) return null;
    const units = unitsOf(text, decimals);
    return units >= 1n && units <= this.#top ? units : null;
  }

  /** Return the `data` of the Peek; null where the amount is not possible, and the field is focused then. */
  peekData() {
    const { units } = this;
    if (units === null) {
      const { input } = this.#elements;
      input.setAttribute("aria-invalid", "true");
      input.focus();
      return null;
    }
    const amount = units === this.#top ? {} : { insuranceAmount: plain(units, this.#money.decimals) };
    return { acceptedInsurance: true, ...amount };
  }

  /** The limits as they are written beside the field. */
  get limitsText() {
    return this.#elements.limits.textContent;
  }
}
