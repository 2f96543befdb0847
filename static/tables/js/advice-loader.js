// @ts-check
/** Loads the game's advice with the player's first decision, or when its part of the panel is opened. */

import { findElement } from "../../portal/js/dom.js";

/** @typedef {import("./game-view.js").GameView} GameView */

export class AdviceLoader {
  #load;
  /** @type {import("./game-view.js").AdvicePanel | null} */
  #panel = null;
  #isLoading = false;
  #requestId = "";

  /**
   * @param {HTMLElement} table
   * @param {() => Promise<import("./game-view.js").AdvicePanel>} load
   */
  constructor(table, load) {
    this.#load = load;
    const part = findElement(table, "[data-part=advice-panel]", HTMLDetailsElement);
    part.hidden = false;
    part.addEventListener("toggle", () => this.#open());
  }

  /** @param {string} requestId  of the decision that the player is asked for; empty for none */
  follow(requestId) {
    if (requestId === this.#requestId) return;
    this.#requestId = requestId;
    this.#open();
    this.#move();
  }

  async #open() {
    if (this.#isLoading) return;
    this.#isLoading = true;
    this.#panel = await this.#load();
    this.#move();
  }

  #move() {
    this.#panel?.moveTo({ round_id: this.#requestId, isAsked: Boolean(this.#requestId), isOver: false });
  }
}
