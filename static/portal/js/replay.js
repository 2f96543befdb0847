// @ts-check
/** A round's page: its steps, one after the other. */

import { findElement, readPageData } from "./dom.js";
import { StepView } from "./step-view.js";
import { tell } from "./words.js";

/** @type {import("./step-view.js").Step[]} */
const steps = readPageData("steps");
const buttons = findElement(document, "#replay-buttons", HTMLElement);

if (steps.length) {
  buttons.hidden = false;
  const cards = findElement(document, "#replay-cards", HTMLElement);
  const words = findElement(document, "#replay-text", HTMLElement);
  new StepView(steps, { buttons, cards, words }, (place) => tell("replay-step", place));
}
