// @ts-check
/** A round's page: its steps, one after the other. */

import { createCardRow } from "./card-row.js";
import { createElement, findElement, readPageData } from "./dom.js";

/**
 * @typedef {import("./card-row.js").LabelledHand} LabelledHand
 * @typedef {{ text: string, hands: LabelledHand[] }} Step
 */

/** @type {Step[]} */
const steps = readPageData("steps");
const buttons = findElement(document, "#replay-buttons", HTMLElement);
const cards = findElement(document, "#replay-cards", HTMLElement);
const words = findElement(document, "#replay-text", HTMLElement);
let at = steps.length - 1;

/** The step that each button leads to. */
function listTargets() {
  return { first: 0, back: at - 1, next: at + 1, last: steps.length - 1 };
}

/** @param {number} target */
function isReachable(target) {
  return target !== at && target >= 0 && target < steps.length;
}

function showStep() {
  const step = steps[at];
  const list = createElement("div", "hand-list");
  list.append(...step.hands.map(createCardRow));
  cards.replaceChildren(list);
  words.textContent = `${at + 1} of ${steps.length}: ${step.text}`;
  for (const [name, target] of Object.entries(listTargets())) {
    const button = findElement(buttons, `[data-step=${name}]`, HTMLButtonElement);
    button.setAttribute("aria-disabled", String(!isReachable(target)));
  }
}

if (steps.length) {
  buttons.hidden = false;
  buttons.addEventListener("click", ({ target }) => {
    const name = target instanceof HTMLElement ? target.dataset.step : undefined;
    const wanted = new Map(Object.entries(listTargets())).get(name ?? "");
    if (wanted === undefined || !isReachable(wanted)) return;
    at = wanted;
    showStep();
  });
  showStep();
}
