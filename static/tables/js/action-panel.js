// @ts-check
/**
 * The player's decision: a button with a key for each offered action, and a field for an amount that the player may
 * choose.
 */

import { CONTROLS, createElement, findElement, findPart } from "../../portal/js/dom.js";
import { tell } from "../../portal/js/words.js";
import { ExactNumber } from "./wire.js";

/**
 * @typedef {import("../../portal/js/currency.js").Currency} Currency
 * @typedef {import("./bets.js").Action} Action
 *
 * The label of an action in a game.
 * @typedef {{ label: string, key: string }} ActionName
 *
 * @typedef {object} Decision
 * @property {Action[]} actions
 * @property {(action: Action) => ActionName} nameAction
 *
 * @typedef {object} PanelOptions
 * @property {Currency} currency
 * @property {(payload: Record<string, unknown>) => void} onAct
 * @property {(text: string) => void} onProblem
 */

export class ActionPanel {
  #root;
  #field;
  #label;
  #input;
  #limits;
  #buttons;
  #options;
  /** @type {Action | null} */
  #amountAction = null;

  /**
   * @param {HTMLElement} table
   * @param {PanelOptions} options
   */
  constructor(table, options) {
    this.#root = findPart(table, "acting");
    this.#field = findPart(table, "amount-field");
    this.#label = findElement(this.#field, "label", HTMLLabelElement);
    this.#input = findElement(this.#field, "input", HTMLInputElement);
    this.#limits = findElement(this.#field, ".help", HTMLElement);
    this.#buttons = findPart(table, "actions");
    this.#options = options;
    this.#input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !this.#amountAction) return;
      event.preventDefault();
      this.#act(this.#amountAction);
    });
  }

  /**
   * Show the decision. No action gets the focus by itself, so that a hasty Enter decides nothing: their group gets it,
   * from which Tab leads to the first, unless a control has it.
   * @param {Decision | null} decision
   * @param {{ isBusy?: boolean }} [options]
   */
  show(decision, { isBusy = false } = {}) {
    this.#root.hidden = !decision;
    if (!decision) {
      this.#buttons.replaceChildren();
      return;
    }
    const { actions, nameAction } = decision;
    this.#showAmount(actions.find(hasChoice) ?? null, nameAction);
    const isFree = this.#buttons.contains(document.activeElement) || !document.activeElement?.matches(CONTROLS);
    this.#buttons.replaceChildren(...actions.map((action) => this.#createButton(action, nameAction(action), isBusy)));
    if (isFree) this.#buttons.focus({ preventScroll: true });
  }

  /**
   * Press the button that has this key.
   * @param {string} key
   */
  press(key) {
    const button = this.#buttons.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (button instanceof HTMLButtonElement && !button.disabled && button.checkVisibility()) button.click();
  }

  /**
   * @param {Action | null} action
   * @param {Decision["nameAction"]} nameAction
   */
  #showAmount(action, nameAction) {
    const { currency } = this.#options;
    this.#field.hidden = !action;
    if (action && this.#amountAction?.maxAmount !== action.maxAmount) {
      this.#label.textContent = nameAction(action).label;
      this.#input.value = currency.format(currency.parse(action.maxAmount));
      this.#limits.textContent = tell("range", {
        least: currency.format(currency.parse(action.minAmount)), most: currency.formatWithCode(currency.parse(action.maxAmount)),
      });
    }
    this.#amountAction = action;
  }

  /**
   * @param {Action} action
   * @param {ActionName} name
   * @param {boolean} isBusy
   */
  #createButton(action, { label, key }, isBusy) {
    const button = createElement("button", "button");
    button.type = "button";
    button.dataset.choice = action.type;
    button.dataset.key = key;
    button.disabled = isBusy;
    const kbd = createElement("kbd", "", key.toUpperCase());
    kbd.setAttribute("aria-hidden", "true");
    button.append(label, " ", kbd);
    button.addEventListener("click", () => this.#act(action));
    return button;
  }

  /** @param {Action} action */
  #act(action) {
    if (!hasChoice(action)) {
      this.#options.onAct({ action: action.type });
      return;
    }
    const { currency } = this.#options;
    const units = currency.readTyped(this.#input.value);
    if (units === null || units < currency.parse(action.minAmount) || units > currency.parse(action.maxAmount)) {
      this.#input.setAttribute("aria-invalid", "true");
      this.#input.focus();
      this.#options.onProblem(tell("live-amounts", { range: this.#limits.textContent ?? "" }));
      return;
    }
    this.#input.removeAttribute("aria-invalid");
    this.#options.onAct({ action: action.type, amount: new ExactNumber(currency.formatPlain(units)) });
  }
}

/**
 * Return whether the player may choose the amount of an action.
 * @param {Action} action
 */
function hasChoice({ minAmount, maxAmount }) {
  return minAmount !== undefined && maxAmount !== undefined && minAmount !== maxAmount;
}
