/** A round's page: its steps, one after the other. */

import { cardElement } from "./cards.js";

const steps = JSON.parse(document.getElementById("steps").textContent);
const buttons = document.getElementById("replay-buttons");
let at = steps.length - 1;

function show() {
  const step = steps[at];
  const list = document.createElement("div");
  list.className = "hand-list";
  for (const hand of step.hands) {
    const row = document.createElement("div");
    row.className = "card-row";
    const label = document.createElement("span");
    label.className = "dim";
    label.textContent = `${hand.label} ${hand.total}`;
    const cards = hand.cards.map((code) => cardElement(code));
    for (const card of cards) card.classList.add("medium");
    row.append(label, ...cards);
    list.append(row);
  }
  document.getElementById("replay-cards").replaceChildren(list);
  document.getElementById("replay-text").textContent = `${at + 1} of ${steps.length}: ${step.text}`;
  const state = { first: at === 0, back: at === 0, next: at === steps.length - 1, last: at === steps.length - 1 };
  for (const button of buttons.querySelectorAll("button")) {
    button.setAttribute("aria-disabled", String(state[button.dataset.step]));
  }
}

if (steps.length) {
  buttons.hidden = false;
  buttons.addEventListener("click", (event) => {
    const where = { first: 0, back: at - 1, next: at + 1, last: steps.length - 1 }[event.target.dataset?.step];
    if (where === undefined || where < 0 || where >= steps.length) return;
    at = where;
    show();
  });
  show();
}
