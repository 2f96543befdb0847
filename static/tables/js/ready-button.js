// @ts-check
/**
 * The button with which a player ends the betting early. It repeats the last bet if none is placed, so that a round is
 * one click or key.
 */

import { findButton } from "../../portal/js/dom.js";
import { tell } from "../../portal/js/words.js";

/**
 * @typedef {object} BetsState
 * @property {boolean} isOpen  whether this player's window is open
 * @property {boolean} isOffered  whether the table asks for it
 * @property {boolean} hasStake
 * @property {boolean} canRepeat  whether no bet is placed and the last one can be
 *
 * @typedef {object} ReadyOptions
 * @property {(payload: Record<string, unknown>) => Promise<boolean>} onAct  resolves with whether the server accepted
 *   it
 * @property {() => boolean} onRepeat  places the last bet; returns whether it is sent
 */

export class ReadyButton {
  #button;
  #options;
  #isReady = false;
  #isShut = true;
  /** @type {BetsState} */
  #bets = { isOpen: false, isOffered: false, hasStake: false, canRepeat: false };

  /**
   * @param {HTMLElement} table
   * @param {ReadyOptions} options
   */
  constructor(table, options) {
    this.#button = findButton(table, "ready");
    this.#options = options;
    this.#button.addEventListener("click", () => this.#send());
  }

  /** @param {boolean} isReady  whether the player waits for the others */
  setReady(isReady) {
    this.#isReady = isReady;
    this.#draw();
  }

  /** @param {BetsState} bets */
  show(bets) {
    this.#bets = bets;
    this.#draw();
  }

  #draw() {
    const { isOpen, isOffered, hasStake, canRepeat } = this.#bets;
    const words = canRepeat ? "live-repeat-ready" : "live-ready";
    this.#isShut = !isOpen || this.#isReady || !(hasStake || canRepeat);
    const hasFocus = document.activeElement === this.#button; // which it would lose if it were disabled
    this.#button.disabled = this.#isShut && !hasFocus;
    this.#button.ariaDisabled = String(this.#isShut && hasFocus);
    if (isOpen) this.#button.hidden = !isOffered; // between two windows it keeps its place
    this.#button.textContent = tell(this.#isReady ? "live-ready-waiting" : words);
  }

  async #send() {
    if (this.#isShut || (!this.#bets.hasStake && !this.#options.onRepeat())) return;
    this.setReady(true);
    if (!(await this.#options.onAct({ action: "ready" }))) this.#isReady = false;
    this.#draw();
  }
}
