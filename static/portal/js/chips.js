/** A tray of chips to choose from, and stacks of chips on the felt. */

import { brief, chipValues, shown } from "./money.js";

const STACK_MAX = 5;
const CHIPS_MAX = 20;

/**
 * Fill `tray` with chips that suit the limits; returns `{ value() }`, the chosen chip in smallest units.
 * The tray is a radio group: arrow keys choose.
 */
export function chipTray(tray, { minimum, maximum, decimals, currency }) {
  const values = chipValues(minimum, maximum);
  const buttons = values.map((value, index) => {
    const chip = chipElement("button", value, index, decimals);
    chip.type = "button";
    chip.setAttribute("role", "radio");
    chip.setAttribute("aria-label", `${shown(value, decimals)} ${currency}`);
    chip.addEventListener("click", () => choose(index));
    return chip;
  });
  let chosen = 0;

  function choose(index, { focus = false } = {}) {
    chosen = (index + buttons.length) % buttons.length;
    buttons.forEach((button, at) => {
      button.setAttribute("aria-checked", String(at === chosen));
      button.tabIndex = at === chosen ? 0 : -1;
    });
    if (focus) buttons[chosen].focus();
  }

  tray.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    choose(chosen + step, { focus: true });
  });
  tray.replaceChildren(...buttons);
  choose(0);
  return { value: () => values[chosen], values };
}

/** Return chips that amount to `units`, the highest first; where that takes too many, one chip is the rest. */
export function chipsFor(units, values) {
  const chips = [];
  let left = units;
  for (let index = values.length - 1; index >= 0; index -= 1) {
    for (; left >= values[index] && chips.length < CHIPS_MAX; left -= values[index]) chips.push(values[index]);
  }
  return left ? [...chips, left] : chips;
}

/** Return a stack of chips that adds up to `units`, the highest chips first. */
export function chipStack(units, values, decimals) {
  const stack = document.createElement("span");
  stack.className = "stack";
  let left = units;
  for (let index = values.length - 1; index >= 0 && stack.childElementCount < STACK_MAX; index -= 1) {
    while (left >= values[index] && stack.childElementCount < STACK_MAX) {
      stack.append(chipElement("span", values[index], index, decimals));
      left -= values[index];
    }
  }
  return stack;
}

function chipElement(tag, value, index, decimals) {
  const chip = document.createElement(tag);
  chip.className = `chip size-${index + 1}`;
  const text = document.createElement("span");
  text.textContent = brief(value, decimals);
  chip.append(text);
  return chip;
}
