// @ts-check
/** Compares the cards of a finished round, which lie on sides, with the cards that were dealt again. Pure. */

import { tell } from "../../portal/js/words.js";
import { writeCardCode } from "./wire.js";

/**
 * @typedef {import("./game-view.js").CheckedDeal} CheckedDeal
 * @typedef {import("./game-view.js").Json} Json
 * @typedef {import("./sides-view.js").SidesView} SidesView
 */

export class SidesCheck {
  #view;

  /** @param {SidesView} view */
  constructor(view) {
    this.#view = view;
  }

  /** @param {Json} record */
  countCards(record) {
    return this.#view.listCards(record).length;
  }

  /**
   * @param {Json} record
   * @param {string[]} cards  dealt again
   * @returns {CheckedDeal}
   */
  checkDeal(record, cards) {
    const order = this.#view.listCards(record).map((place) => place.split(":"));
    const recorded = order.map(([name, index]) => writeCardCode(record[name].cards[Number(index)]));
    const isSame = recorded.length === cards.length && recorded.every((code, index) => code === cards[index]);
    return { cards, labels: order.map(([name]) => this.#view.nameSide(name)), problem: isSame ? "" : tell("check-cards-not") };
  }
}
