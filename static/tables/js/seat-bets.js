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
   * @param {{ isSum?: boolean }} [options]  whether the place has room for one bet: several are shown as their sum, with
   * their names for a screen reader and for a mouse that points at it
   */
  show(box, bets, { isSum = false } = {}) {
    const texts = bets.map(({ label, units }) => (units === undefined ? label : `${label} ${this.#currency.format(units)}`));
    const isSummed = isSum && bets.length > 1;
    const words = texts.join(" · ");
    const drawing = isSummed ? `= ${words}` : words;
    if (box.dataset.words === drawing) return;
    box.dataset.words = drawing;
    box.replaceChildren(...bets.map(({ units }, index) => this.#createBet(texts[index], units)));
    if (!isSummed) return;
    for (const bet of box.children) bet.className = "visually-hidden";
    const sum = bets.reduce((total, { units = 0n }) => total + units, 0n);
    const shown = this.#createBet(this.#currency.format(sum), sum);
    shown.setAttribute("aria-hidden", "true");
    shown.title = words;
    box.append(shown);
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
