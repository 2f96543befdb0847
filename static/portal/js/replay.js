// @ts-check
/** A round's page: its steps, one after the other. */

import { findElement, readPageData } from "./dom.js";
import { StepView } from "./step-view.js";

/** @type {import("./step-view.js").Step[]} */
const steps = readPageData("steps");
const buttons = findElement(document, "#replay-buttons", HTMLElement);

if (steps.length) {
  buttons.hidden = false;
  const cards = findElement(document, "#replay-cards", HTMLElement);
  const words = findElement(document, "#replay-text", HTMLElement);
  new StepView(steps, { buttons, cards, words }, ({ number, count, text }) => `${number} of ${count}: ${text}`);
}
