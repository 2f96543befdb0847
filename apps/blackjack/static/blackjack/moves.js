/** The buttons of an open round: the moves that the rules allow, the question before the first of them, their keys. */

import { InsuranceAmount } from "./insurance.js";
import { handTotal, isNatural } from "./round.js";
import { shown, unitsOf } from "/static/portal/js/money.js";

const MOVES = {
  Hit: { key: "h" }, Stand: { key: "s" }, Double: { key: "d", costs: true }, Split: { key: "p", costs: true }, Surrender: { key: "r" },
};
const $ = (id) => document.getElementById(id);

export class Moves {
  #money;
  #insuranceRule;
  #send;
  #problem;
  #insurance;
  #round = null;
  #isUp = false;

  /**
   * `insuranceRule()` returns what the table's rules say of insurance, `send(action, data)` is called for a move that was
   * chosen, `problem(text)` with what is wrong; an empty text takes it back.
   */
  constructor({ decimals, currency, insuranceRule, send, problem }) {
    this.#money = { decimals, currency };
    this.#insuranceRule = insuranceRule;
    this.#send = send;
    this.#problem = problem;
    this.#insurance = new InsuranceAmount({ input: $("insurance-amount"), limits: $("insurance-limits") }, {
      ...this.#money, changed: () => this.#insuranceChanged(), confirmed: () => this.#insure(),
    });
  }

  /** Show the moves of a round that waits for the player; none for null. They can be pressed while `isUp`. */
  show(round, { isUp, focus = false }) {
    this.#round = round;
    this.#isUp = isUp;
    const names = round?.nextActions ?? [];
    const question = names.includes("Peek") ? this.#question() : null;
    $("question").hidden = !question;
    $("question").textContent = question?.text ?? "";
    $("insurance").hidden = !question?.asksAmount;
    const choices = names.filter((name) => name in MOVES).map((name) => this.#moveChoice(name));
    const buttons = [...(question?.choices ?? []), ...choices].map((choice) => this.#button(choice));
    const wanted = document.activeElement?.dataset?.choice;
    $("actions").replaceChildren(...buttons);
    if (focus && buttons.length) (buttons.find((button) => button.dataset.choice === wanted) ?? buttons[0]).focus({ preventScroll: true });
  }

  /** What is asked now, in words. */
  get words() {
    return $("question").textContent || `${this.#round.nextActions.join(", ")}?`;
  }

  /** Press the button that has this key. */
  press(key) {
    const button = $("actions").querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (button && !button.disabled && button.checkVisibility()) button.click();
  }

  /** The most that an insurance of the round may be, in smallest units. */
  insuranceTop(round) {
    return unitsOf(round.hands[0].stake, this.#money.decimals) / 2n;
  }

  #amount(units) {
    return `${shown(units, this.#money.decimals)} ${this.#money.currency}`;
  }

  #moveChoice(name) {
    const { key, costs } = MOVES[name];
    const stake = unitsOf(this.#round.hands[this.#round.handIndex].stake, this.#money.decimals);
    const label = costs && stake ? `${name} +${shown(stake, this.#money.decimals)}` : name;
    return { name, label, key, act: () => this.#send(name, {}) };
  }

  /** The question under an ace, or under a ten where early surrender may be had. */
  #question() {
    const round = this.#round;
    const no = { name: "No", key: "n", act: () => this.#send("Peek", { acceptedInsurance: false }) };
    const isAce = handTotal(round.dealer).isSoft;
    if (!isAce || this.#insuranceRule() === "off") {
      return { text: "The dealer looks at the hidden card before you play.", choices: [{ ...no, label: "Go on", key: "g" }] };
    }
    const half = this.insuranceTop(round);
    if (half === 0n) return { text: "The dealer shows an ace. Half of your bet is too small to insure.", choices: [{ ...no, label: "Go on", key: "g" }] };
    const natural = isNatural(round.hands[0]) ? " You have blackjack: with insurance you win your bet whatever the dealer has." : "";
    const asksAmount = this.#insuranceRule() === "up-to-half";
    if (asksAmount) this.#insurance.ask(round.roundId, half);
    const units = asksAmount ? this.#insurance.units : half;
    const text = `The dealer shows an ace. Insure against blackjack for ${asksAmount ? "up to " : ""}${this.#amount(half)}? It pays 2 to 1 if the dealer has it and is lost if not.${natural}`;
    const label = units === null ? "Insure" : `Insure for ${shown(units, this.#money.decimals)}`;
    const act = asksAmount ? () => this.#insure() : () => this.#send("Peek", { acceptedInsurance: true });
    return { text, asksAmount, choices: [{ name: "Yes", key: "y", label, act }, { ...no, label: "No insurance" }] };
  }

  /** Take the insurance that is written. */
  #insure() {
    if (!this.#round || !this.#isUp) return;
    const data = this.#insurance.peekData();
    if (data) this.#send("Peek", data);
    else this.#problem(`An insurance of ${this.#insurance.limitsText} is possible.`);
  }

  #insuranceChanged() {
    this.#problem("");
    this.show(this.#round, { isUp: this.#isUp });
  }

  #button({ name, label, key, act }) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = `button ${name === "Hit" || name === "Yes" ? "primary" : ""}`;
    button.dataset.choice = name;
    button.dataset.key = key;
    const kbd = document.createElement("kbd");
    kbd.textContent = key.toUpperCase();
    kbd.setAttribute("aria-hidden", "true");
    button.append(label, " ", kbd);
    button.disabled = !this.#isUp;
    button.addEventListener("click", act);
    return button;
  }
}
