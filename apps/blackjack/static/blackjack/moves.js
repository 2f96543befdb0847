// @ts-check
/** The buttons of an open round: the legal moves, the insurance question, and their keys. */

import { InsuranceAmount } from "./insurance.js";
import { describeTenChance } from "./chance.js";
import { computeTotal, isNatural } from "./totals.js";
import { createElement, findPart } from "/static/portal/js/dom.js";
import { listTexts, tell } from "/static/portal/js/words.js";

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
 * @property {() => { insurance: string, decks: number }} findRules
 * @property {(action: string, data: Record<string, unknown>, cost: bigint) => void} onMove  called for a chosen move,
 *   with its addition to the stakes
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
   * Show the moves of a round that waits for the player, or none for null. They are enabled while `isUp`. The focus
   * goes to their group and never to a move, since a hasty press of Enter would play it.
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
    const buttons = choices.map((choice) => this.#createButton(choice));
    this.#actions.replaceChildren(...buttons);
    if (hasFocus) this.#actions.focus({ preventScroll: true });
  }

  /** The current question as a text. */
  get words() {
    return this.#question.textContent || tell("moves-asked", { moves: listTexts((this.#round?.nextActions ?? []).map((name) => tell(`move-${name}`))) });
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
      const words = tell(`move-${name}`);
      const label = move.costs && stake ? tell("move-cost", { move: words, amount: this.#currency.format(stake) }) : words;
      return [{ name, label, key: move.key, act: () => this.#options.onMove(name, {}, move.costs ? stake : 0n) }];
    });
  }

  /**
   * Return the question against an ace, or against a ten with early surrender.
   * @param {Round} round
   * @returns {Question}
   */
  #createQuestion(round) {
    const half = this.#computeHalf(round);
    const { insurance: rule } = this.#options.findRules();
    if (!computeTotal(round.dealer).isSoft || rule === "off") {
      return this.#createNotice(tell("insurance-peek"));
    }
    if (half === 0n) return this.#createNotice(tell("insurance-too-small"));
    const asksAmount = rule === "up-to-half";
    if (asksAmount) this.#insurance.ask(round.roundId, half);
    const units = asksAmount ? this.#insurance.units : half;
    const whole = this.#currency.formatWithCode(half);
    const amount = asksAmount ? tell("insurance-up-to", { amount: whole }) : whole;
    const text = [
      tell("insurance-question", { amount }),
      this.#describeTerms(round, units ?? half),
      isNatural(round.hands[0]) ? tell("insurance-natural") : "",
    ].join(" ").trim();
    const label = units === null ? tell("insure") : tell("insure-for", { amount: this.#currency.format(units) });
    const act = asksAmount ? () => this.#takeInsurance() : () => this.#options.onMove("Peek", { acceptedInsurance: true }, half);
    const yes = { name: "Yes", label, key: "y", act };
    return { text, asksAmount, choices: [yes, this.#createRefusal(tell("insure-not"), "n")] };
  }

  /**
   * Return the cost of insurance, its payout, and the chance of it from the cards that the player sees.
   * @param {Round} round
   * @param {bigint} units
   */
  #describeTerms({ hands, dealer }, units) {
    const seen = [...hands.flatMap(({ cards }) => cards), ...dealer];
    const { isEndless, values } = describeTenChance(seen, { decks: this.#options.findRules().decks });
    const [stake, back] = [units, units * 3n].map((each) => this.#currency.formatWithCode(each));
    return tell(isEndless ? "insurance-terms-endless" : "insurance-terms", { stake, back, ...values });
  }

  /**
   * @param {string} text
   * @returns {Question}
   */
  #createNotice(text) {
    return { text, asksAmount: false, choices: [this.#createRefusal(tell("go-on"), "g")] };
  }

  /**
   * @param {string} label
   * @param {string} key
   * @returns {Choice}
   */
  #createRefusal(label, key) {
    return { name: "No", label, key, act: () => this.#options.onMove("Peek", { acceptedInsurance: false }, 0n) };
  }

  /** Accept insurance for the typed amount. */
  #takeInsurance() {
    if (!this.#round || !this.#isUp) return;
    const data = this.#insurance.readPeekData();
    if (data) this.#options.onMove("Peek", data, this.#insurance.units ?? 0n);
    else this.#options.onProblem(tell("insurance-amounts", { range: this.#insurance.limitsText }));
  }

  #updateInsurance() {
    this.#options.onProblem("");
    this.show(this.#round, { isUp: this.#isUp });
  }

  /** @param {Choice} choice */
  #createButton({ name, label, key, act }) {
    const button = createElement("button", "button");
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
