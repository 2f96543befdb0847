// @ts-check
/** A tray of chips to choose from, and stacks of chips on the felt. `listChipValues` in money.js decides their values. */

import { createElement } from "./dom.js";
import { formatBrief, listChipValues } from "./money.js";

/** @typedef {import("./currency.js").Currency} Currency */

const MAX_STACK_CHIPS = 5;
/** The most characters at a chip's full size of type. */
const MAX_SHORT_CHARS = 3;
const KEY_STEPS = new Map([["ArrowRight", 1], ["ArrowDown", 1], ["ArrowLeft", -1], ["ArrowUp", -1]]);

/** The chips that suit a table's limits. It is a radio group: arrow keys select. */
export class ChipTray {
  #element;
  #currency;
  #stakeStep;
  /** @type {HTMLButtonElement[]} */
  #buttons = [];
  #chosen = 0;
  /** Values in smallest units, the lowest first.
   * @type {bigint[]} */
  values = [];

  /**
   * @param {HTMLElement} element
   * @param {{ minimum: bigint, maximum: bigint, currency: Currency, stakeStep?: bigint }} options  stakes are multiples of `stakeStep`
   */
  constructor(element, { minimum, maximum, currency, stakeStep = 1n }) {
    this.#element = element;
    this.#currency = currency;
    this.#stakeStep = stakeStep;
    element.addEventListener("keydown", (event) => {
      const step = KEY_STEPS.get(event.key);
      if (!step) return;
      event.preventDefault();
      this.#choose(this.#chosen + step);
      this.#buttons[this.#chosen].focus();
    });
    this.fit(minimum, maximum);
  }

  /**
   * Offer the chips that suit these limits.
   * @param {bigint} minimum
   * @param {bigint} maximum
   */
  fit(minimum, maximum) {
    const step = this.#stakeStep;
    const values = listChipValues((minimum + step - 1n) / step, maximum / step).map((value) => value * step);
    if (values.join() === this.values.join()) return;
    this.values = values;
    this.#buttons = values.map((value, index) => {
      const chip = createChip("button", value, index, this.#currency);
      chip.type = "button";
      chip.setAttribute("role", "radio");
      chip.setAttribute("aria-label", this.#currency.formatWithCode(value));
      chip.addEventListener("click", () => this.#choose(index));
      return chip;
    });
    this.#element.replaceChildren(...this.#buttons);
    this.#choose(Math.min(this.#chosen, values.length - 1));
  }

  /**
   * Show which chips the player can pay for.
   * @param {bigint} funds
   */
  show(funds) {
    this.#buttons.forEach((button, index) => button.setAttribute("aria-disabled", String(this.values[index] > funds)));
  }

  /** The chosen chip, in smallest units. */
  get value() {
    return this.values[this.#chosen];
  }

  /** The chip that is chosen. */
  get chosenChip() {
    return this.#buttons[this.#chosen];
  }

  /** @param {number} index */
  #choose(index) {
    this.#chosen = (index + this.#buttons.length) % this.#buttons.length;
    this.#buttons.forEach((button, at) => {
      button.setAttribute("aria-checked", String(at === this.#chosen));
      button.tabIndex = at === this.#chosen ? 0 : -1;
    });
  }
}

/**
 * Return a stack of chips that sums to `units`, the highest chips first.
 * @param {bigint} units
 * @param {bigint[]} values
 * @param {Currency} currency
 */
export function createChipStack(units, values, currency) {
  const stack = createElement("span", "stack");
  let left = units;
  for (let index = values.length - 1; index >= 0 && stack.childElementCount < MAX_STACK_CHIPS; index -= 1) {
    while (left >= values[index] && stack.childElementCount < MAX_STACK_CHIPS) {
      stack.append(createChip("span", values[index], index, currency));
      left -= values[index];
    }
  }
  return stack;
}

/**
 * @template {"button" | "span"} Tag
 * @param {Tag} tag
 * @param {bigint} value
 * @param {number} index
 * @param {Currency} currency
 */
function createChip(tag, value, index, currency) {
  const text = formatBrief(value, currency.decimals);
  const chip = createElement(tag, `chip size-${index + 1} ${text.length > MAX_SHORT_CHARS ? "long" : ""}`);
  chip.append(createElement("span", "", text));
  return chip;
}
