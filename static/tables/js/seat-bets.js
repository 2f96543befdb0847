// @ts-check
/** The bets of a seat as stacks of chips with their amounts, for everybody at the table. */

import { createChipStack } from "../../portal/js/chips.js";
import { createElement } from "../../portal/js/dom.js";
import { listChipValues } from "../../portal/js/money.js";

/**
 * @typedef {import("../../portal/js/currency.js").Currency} Currency
 *
 * A bet of a seat. Without units it is a text alone.
 * @typedef {{ label: string, units?: bigint }} SeatBet
 */

export class SeatBets {
  #currency;
  #values;

  /**
   * @param {import("./game-view.js").Json} room
   * @param {Currency} currency
   */
  constructor({ minBuyin, maxBuyin }, currency) {
    this.#currency = currency;
    this.#values = listChipValues(currency.parse(minBuyin), currency.parse(maxBuyin));
  }

  /**
   * @param {HTMLElement} box
   * @param {SeatBet[]} bets
   */
  show(box, bets) {
    const texts = bets.map(({ label, units }) => (units === undefined ? label : `${label} ${this.#currency.format(units)}`));
    const words = texts.join(" · ");
    if (box.dataset.words === words) return;
    box.dataset.words = words;
    box.replaceChildren(...bets.map(({ units }, index) => this.#createBet(texts[index], units)));
  }

  /**
   * Show bets in a place that always has room for one: several as their sum, with their names for a mouse that points at
   * it and for a screen reader.
   * @param {HTMLElement} box
   * @param {Required<SeatBet>[]} bets
   */
  showSum(box, bets) {
    this.show(box, bets);
    if (bets.length < 2 || box.querySelector(".seat-sum")) return;
    for (const bet of box.children) bet.className = "visually-hidden";
    const units = bets.reduce((sum, bet) => sum + bet.units, 0n);
    const sum = this.#createBet(this.#currency.format(units), units);
    sum.classList.add("seat-sum");
    sum.setAttribute("aria-hidden", "true");
    sum.title = box.dataset.words ?? "";
    box.append(sum);
  }

  /**
   * @param {string} text
   * @param {bigint | undefined} units
   */
  #createBet(text, units) {
    const bet = createElement("span", "seat-bet");
    if (units) {
      const stack = createChipStack(units, this.#values, this.#currency);
      stack.setAttribute("aria-hidden", "true");
      bet.append(stack);
    }
    bet.append(createElement("span", "", text));
    return bet;
  }
}
