// @ts-check
/**
 * The buttons that change all placed bets, at tables for one player and at live tables: half, double, the highest
 * possible, and the favourite bet.
 */

import { findButton } from "./dom.js";
import { doubleStakes, halveStakes, raiseStakes } from "./stakes.js";
import { tell } from "./words.js";

/**
 * @typedef {import("./bet-memory.js").BetMemory} BetMemory
 * @typedef {import("./stakes.js").Stakes} Stakes
 *
 * The placed bets. `fit` returns the stakes that can be placed, and `change` places stakes as far as they can.
 * @typedef {object} PlacedBets
 * @property {Stakes} stakes
 * @property {bigint} total
 * @property {import("./stakes.js").FindLimits} findLimits
 * @property {(stakes: Stakes) => Stakes} fit
 * @property {(stakes: Stakes) => boolean} change
 */

/** The parts that keys press while bets are placed. */
export const BET_KEYS = new Map([
  ["b", "rebet"], ["x", "double"], ["z", "half"], ["m", "max"], ["u", "undo"], ["c", "clear"], ["f", "favourite"],
]);

export class BetTools {
  #board;
  #memory;
  #options;
  #half;
  #double;
  #max;
  #favourite;

  /**
   * @param {HTMLElement} root  the table
   * @param {object} options
   * @param {PlacedBets} options.board
   * @param {BetMemory} options.memory
   * @param {() => bigint} options.findFunds
   * @param {() => void} [options.onBeforeChange]
   * @param {(text: string) => void} options.onSaved  called with the message about a saved favourite
   */
  constructor(root, options) {
    this.#options = options;
    this.#board = options.board;
    this.#memory = options.memory;
    this.#half = findButton(root, "half");
    this.#double = findButton(root, "double");
    this.#max = findButton(root, "max");
    this.#favourite = findButton(root, "favourite");
    const find = (/** @type {string} */ name) => this.#board.findLimits(name);
    this.#half.addEventListener("click", () => this.#change((stakes) => halveStakes(stakes, find)));
    this.#double.addEventListener("click", () => this.#change(doubleStakes));
    this.#max.addEventListener("click", () => this.#change((stakes) => raiseStakes(stakes, find, options.findFunds())));
    this.#favourite.addEventListener("click", () => this.#useFavourite());
  }

  /** @param {boolean} canChange  whether bets can be placed now */
  show(canChange) {
    const hasBets = this.#board.total > 0n;
    this.#half.disabled = this.#double.disabled = this.#max.disabled = !canChange || !(hasBets || this.#memory.last.size);
    this.#favourite.disabled = !canChange || !(hasBets || this.#memory.favourite.size);
    const label = tell(hasBets ? "favourite-save" : "favourite-place");
    this.#favourite.setAttribute("aria-label", label);
    this.#favourite.title = label;
    this.#favourite.classList.toggle("filled", this.#memory.favourite.size > 0);
  }

  /**
   * Change the placed bets; without any, the last ones are placed, changed.
   * @param {(stakes: Stakes) => Stakes} change
   */
  #change(change) {
    const { stakes } = this.#board;
    this.#options.onBeforeChange?.();
    this.#board.change(change(stakes.size ? stakes : this.#board.fit(this.#memory.last)));
  }

  /** Save the placed bets as the favourite; without any, place the favourite. */
  #useFavourite() {
    const { stakes } = this.#board;
    if (stakes.size) {
      this.#memory.favourite = stakes;
      this.#options.onSaved(tell("favourite-saved"));
      this.show(true);
      return;
    }
    this.#options.onBeforeChange?.();
    this.#board.change(this.#memory.favourite);
  }
}
