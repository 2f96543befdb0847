// @ts-check
/** A tray of chips to choose from, and stacks of chips on the felt. */

import { createElement } from "./dom.js";
import { formatBrief, listChipValues } from "./money.js";

/** @typedef {import("./currency.js").Currency} Currency */

const STACK_MAX = 5;
const CHIPS_MAX = 20;
const KEY_STEPS = new Map([["ArrowRight", 1], ["ArrowDown", 1], ["ArrowLeft", -1], ["ArrowUp", -1]]);

/** The chips that suit a table's limits. It is a radio group: arrow keys select. */
export class ChipTray {
  #buttons;
  #chosen = 0;

  /**
   * @param {HTMLElement} element
   * @param {{ minimum: bigint, maximum: bigint, currency: Currency, stakeStep?: bigint }} options  stakes are multiples of `stakeStep`
   */
  constructor(element, { minimum, maximum, currency, stakeStep = 1n }) {
    /** Values in smallest units, the lowest first. */
    this.values = listChipValues(minimum / stakeStep, maximum / stakeStep).map((value) => value * stakeStep);
    this.#buttons = this.values.map((value, index) => {
      const chip = createChip("button", value, index, currency);
      chip.type = "button";
      chip.setAttribute("role", "radio");
      chip.setAttribute("aria-label", currency.formatWithCode(value));
      chip.addEventListener("click", () => this.#choose(index));
      return chip;
    });
    element.addEventListener("keydown", (event) => {
      const step = KEY_STEPS.get(event.key);
      if (!step) return;
      event.preventDefault();
      this.#choose(this.#chosen + step);
      this.#buttons[this.#chosen].focus();
    });
    element.replaceChildren(...this.#buttons);
    this.#choose(0);
  }

  /** The chosen chip, in smallest units. */
  get value() {
    return this.values[this.#chosen];
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
 * Return chips that sum to `units`, the highest first; if there would be too many, one chip stands for the rest.
 * @param {bigint} units
 * @param {bigint[]} values
 */
export function splitIntoChips(units, values) {
  const chips = [];
  let left = units;
  for (let index = values.length - 1; index >= 0; index -= 1) {
    for (; left >= values[index] && chips.length < CHIPS_MAX; left -= values[index]) chips.push(values[index]);
  }
  return left ? [...chips, left] : chips;
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
  for (let index = values.length - 1; index >= 0 && stack.childElementCount < STACK_MAX; index -= 1) {
    while (left >= values[index] && stack.childElementCount < STACK_MAX) {
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
  const chip = createElement(tag, `chip size-${index + 1}`);
  chip.append(createElement("span", "", formatBrief(value, currency.decimals)));
  return chip;
}
