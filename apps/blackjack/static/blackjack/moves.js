// @ts-check
/** The buttons of an open round: the legal moves, the insurance question, and their keys. */

import { InsuranceAmount } from "./insurance.js";
import { computeTotal, isNatural } from "./round.js";
import { createElement, findPart } from "/static/portal/js/dom.js";

/**
 * @typedef {import("./round.js").Round} Round
 * @typedef {import("/static/portal/js/currency.js").Currency} Currency
 *
 * A button: its name, its key, and its action.
 * @typedef {{ name: string, label: string, key: string, act: () => void }} Choice
 *
 * @typedef {{ text: string, asksAmount: boolean, choices: Choice[] }} Question
 *
 * @typedef {object} MovesOptions
 * @property {Currency} currency
 * @property {() => string} findInsuranceRule  what the table's rules say of insurance
 * @property {(action: string, data: Record<string, unknown>) => void} onMove  called for a move that was chosen
 * @property {(text: string) => void} onProblem  called with what is wrong; an empty text takes it back
 */

/** A move with `costs` debits the stake of its hand again. */
const MOVES = new Map([
  ["Hit", { key: "h", costs: false }],
  ["Stand", { key: "s", costs: false }],
  ["Double", { key: "d", costs: true }],
  ["Split", { key: "p", costs: true }],
  ["Surrender", { key: "r", costs: false }],
]);
const MAIN_CHOICES = new Set(["Hit", "Yes"]);

export class Moves {
  #options;
  #currency;
  #question;
  #insuranceField;
  #actions;
  #insurance;
  /** @type {Round | null} */
  #round = null;
  #isUp = false;

  /**
   * @param {HTMLElement} root  the table
   * @param {MovesOptions} options
   */
  constructor(root, options) {
    this.#options = options;
    this.#currency = options.currency;
    this.#question = findPart(root, "question");
    this.#insuranceField = findPart(root, "insurance");
    this.#actions = findPart(root, "actions");
    this.#insurance = new InsuranceAmount(root, {
      currency: options.currency, onChange: () => this.#updateInsurance(), onConfirm: () => this.#takeInsurance(),
    });
  }

  /**
   * Show the moves of a round that waits for the player, or none for null. They are enabled while `isUp`.
   * @param {Round | null} round
   * @param {{ isUp: boolean, hasFocus?: boolean }} options
   */
  show(round, { isUp, hasFocus = false }) {
    this.#round = round;
    this.#isUp = isUp;
    const question = round?.nextActions.includes("Peek") ? this.#createQuestion(round) : null;
    this.#question.hidden = !question;
    this.#question.textContent = question?.text ?? "";
    this.#insuranceField.hidden = !question?.asksAmount;
    const choices = [...(question?.choices ?? []), ...(round ? this.#listMoves(round) : [])];
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.choice : undefined;
    const buttons = choices.map((choice) => this.#createButton(choice));
    this.#actions.replaceChildren(...buttons);
    if (hasFocus) (buttons.find(({ dataset }) => dataset.choice === focused) ?? buttons[0])?.focus({ preventScroll: true });
  }

  /** The current question as a text. */
  get words() {
    return this.#question.textContent || `${this.#round?.nextActions.join(", ")}?`;
  }

  /**
   * Press the button with this key.
   * @param {string} key
   */
  press(key) {
    const button = this.#actions.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (button instanceof HTMLButtonElement && !button.disabled && button.checkVisibility()) button.click();
  }

  /**
   * Return the insurance that was accepted with a Peek: half of the bet unless the Peek has another amount.
   * @param {Round} round
   * @param {Record<string, string>} data  of the Peek
   */
  findInsuranceStake(round, { insuranceAmount }) {
    return insuranceAmount ?? this.#currency.formatPlain(this.#computeHalf(round));
  }

  /** @param {Round} round */
  #computeHalf(round) {
    return this.#currency.parse(round.hands[0].stake) / 2n;
  }

  /**
   * @param {Round} round
   * @returns {Choice[]}
   */
  #listMoves(round) {
    const stake = this.#currency.parse(round.hands[round.handIndex].stake);
    return round.nextActions.flatMap((name) => {
      const move = MOVES.get(name);
      if (!move) return [];
      const label = move.costs && stake ? `${name} +${this.#currency.format(stake)}` : name;
      return [{ name, label, key: move.key, act: () => this.#options.onMove(name, {}) }];
    });
  }

  /**
   * Return the question against an ace, or against a ten with early surrender.
   * @param {Round} round
   * @returns {Question}
   */
  #createQuestion(round) {
    const half = this.#computeHalf(round);
    const rule = this.#options.findInsuranceRule();
    if (!computeTotal(round.dealer).isSoft || rule === "off") {
      return this.#createNotice("The dealer looks at the hidden card before you play.");
    }
    if (half === 0n) return this.#createNotice("The dealer shows an ace. Half of your bet is too small to insure.");
    const asksAmount = rule === "up-to-half";
    if (asksAmount) this.#insurance.ask(round.roundId, half);
    const units = asksAmount ? this.#insurance.units : half;
    const amount = `${asksAmount ? "up to " : ""}${this.#currency.formatWithCode(half)}`;
    const natural = isNatural(round.hands[0]) ? " You have blackjack: with insurance you win your bet whatever the dealer has." : "";
    const text = `The dealer shows an ace. Insure against blackjack for ${amount}? It pays 2 to 1 if the dealer has it and is lost if not.${natural}`;
    const label = units === null ? "Insure" : `Insure for ${this.#currency.format(units)}`;
    const act = asksAmount ? () => this.#takeInsurance() : () => this.#options.onMove("Peek", { acceptedInsurance: true });
    const yes = { name: "Yes", label, key: "y", act };
    return { text, asksAmount, choices: [yes, this.#createRefusal("No insurance", "n")] };
  }

  /**
   * @param {string} text
   * @returns {Question}
   */
  #createNotice(text) {
    return { text, asksAmount: false, choices: [this.#createRefusal("Go on", "g")] };
  }

  /**
   * @param {string} label
   * @param {string} key
   * @returns {Choice}
   */
  #createRefusal(label, key) {
    return { name: "No", label, key, act: () => this.#options.onMove("Peek", { acceptedInsurance: false }) };
  }

  /** Accept insurance for the typed amount. */
  #takeInsurance() {
    if (!this.#round || !this.#isUp) return;
    const data = this.#insurance.readPeekData();
    if (data) this.#options.onMove("Peek", data);
    else this.#options.onProblem(`An insurance of ${this.#insurance.limitsText} is possible.`);
  }

  #updateInsurance() {
    this.#options.onProblem("");
    this.show(this.#round, { isUp: this.#isUp });
  }

  /** @param {Choice} choice */
  #createButton({ name, label, key, act }) {
    const button = createElement("button", `button ${MAIN_CHOICES.has(name) ? "primary" : ""}`);
    button.type = "button";
    button.dataset.choice = name;
    button.dataset.key = key;
    button.disabled = !this.#isUp;
    const kbd = createElement("kbd", "", key.toUpperCase());
    kbd.setAttribute("aria-hidden", "true");
    button.append(label, " ", kbd);
    button.addEventListener("click", act);
    return button;
  }
}
