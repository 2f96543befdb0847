// @ts-check
/** Shows the steps of a round one after the other: buttons, the cards after the step, and what happened. */

import { createCardRow } from "./card-row.js";
import { createElement, findElement } from "./dom.js";

/**
 * @typedef {import("./card-row.js").LabelledHand} LabelledHand
 * @typedef {{ text: string, hands: LabelledHand[] }} Step
 *
 * @typedef {object} StepParts
 * @property {HTMLElement} buttons  contains one for each of first, back, next, last as `data-step`
 * @property {HTMLElement} cards
 * @property {HTMLElement} words
 */

export class StepView {
  #steps;
  #parts;
  #describe;
  #at;

  /**
   * @param {Step[]} steps
   * @param {StepParts} parts
   * @param {(place: { number: string, count: string, text: string }) => string} describe  returns the line about a step
   */
  constructor(steps, parts, describe) {
    this.#steps = steps;
    this.#parts = parts;
    this.#describe = describe;
    this.#at = steps.length - 1;
    parts.buttons.addEventListener("click", ({ target }) => {
      const name = target instanceof HTMLElement ? target.dataset.step : undefined;
      const wanted = new Map(Object.entries(this.#listTargets())).get(name ?? "");
      if (wanted !== undefined) this.#openStep(wanted);
    });
    this.#show();
  }

  /** The step that each button leads to. */
  #listTargets() {
    return { first: 0, back: this.#at - 1, next: this.#at + 1, last: this.#steps.length - 1 };
  }

  /** @param {number} target */
  #isReachable(target) {
    return target !== this.#at && target >= 0 && target < this.#steps.length;
  }

  /** @param {number} target */
  #openStep(target) {
    if (!this.#isReachable(target)) return;
    this.#at = target;
    this.#show();
  }

  #show() {
    const { text, hands } = this.#steps[this.#at];
    const list = createElement("div", "hand-list");
    list.append(...hands.map(createCardRow));
    this.#parts.cards.replaceChildren(list);
    this.#parts.words.textContent = this.#describe({ number: String(this.#at + 1), count: String(this.#steps.length), text });
    for (const [name, target] of Object.entries(this.#listTargets())) {
      const button = findElement(this.#parts.buttons, `[data-step=${name}]`, HTMLButtonElement);
      button.setAttribute("aria-disabled", String(!this.#isReachable(target)));
    }
  }
}
