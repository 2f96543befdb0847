// @ts-check
/** Loads the game's advice once the player has a seat, and shows it at each decision and at the end of each round. */

import { findButton, findPart } from "../../portal/js/dom.js";

/**
 * @typedef {import("./game-view.js").AdvicePanel} AdvicePanel
 * @typedef {import("./game-view.js").AdvicePlace} AdvicePlace
 */

/** @type {AdvicePlace} */
const NOWHERE = { round_id: "", isAsked: false, isOver: false };

export class AdviceLoader {
  #load;
  /** @type {AdvicePanel | null} */
  #panel = null;
  #isLoading = false;
  #place = NOWHERE;

  /**
   * @param {HTMLElement} table
   * @param {() => Promise<AdvicePanel>} load
   */
  constructor(table, load) {
    this.#load = load;
    findPart(table, "advice-panel").hidden = false;
    findButton(table, "hints").hidden = false;
  }

  /**
   * Follow the player. The advice for a place is shown once.
   * @param {AdvicePlace} [place]  none: there is nothing to advise on
   */
  follow(place = NOWHERE) {
    this.#open();
    if (place.round_id === this.#place.round_id && place.isOver === this.#place.isOver) return;
    this.#place = place;
    this.#panel?.moveTo(place);
  }

  async #open() {
    if (this.#isLoading) return;
    this.#isLoading = true;
    this.#panel = await this.#load().catch(() => null); // without a network; the next message of the table tries again
    this.#isLoading = Boolean(this.#panel);
    this.#panel?.moveTo(this.#place);
  }
}
