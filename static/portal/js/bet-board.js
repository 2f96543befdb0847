// @ts-check
/** Spots that chips are placed on before a round, with undo and clear. */

import { createChipStack } from "./chips.js";
import { findButton, findElement, findPart } from "./dom.js";
import { playChipSound } from "./sound.js";

/**
 * @typedef {import("./chips.js").ChipTray} ChipTray
 * @typedef {import("./currency.js").Currency} Currency
 *
 * @typedef {object} PlacedChip
 * @property {string} spot  the spot's `data-spot`
 * @property {bigint} units
 *
 * @typedef {object} BoardOptions
 * @property {ChipTray} tray
 * @property {Currency} currency
 * @property {() => void} onChange  called after every change of the chips or of the lock
 * @property {() => void} onBeforePlace  called before a chip is placed on a spot
 */

export class BetBoard {
  #options;
  #undo;
  #clear;
  #staked;
  /** @type {PlacedChip[]} */
  #chips = [];
  #isLocked = false;

  /**
   * @param {HTMLElement} root  the table, with its spots and its buttons
   * @param {BoardOptions} options
   */
  constructor(root, options) {
    this.#options = options;
    this.#undo = findButton(root, "undo");
    this.#clear = findButton(root, "clear");
    this.#staked = findPart(root, "staked");
    /** @type {HTMLElement[]} */
    this.spots = [...root.querySelectorAll("button[data-spot]")].filter((spot) => spot instanceof HTMLElement);
    for (const spot of this.spots) spot.addEventListener("click", () => this.#placeOn(spot));
    this.#undo.addEventListener("click", () => this.place(this.#chips.slice(0, -1)));
    this.#clear.addEventListener("click", () => this.place([]));
  }

  /** The sum of the chips on each spot with chips. */
  get stakes() {
    /** @type {Map<string, bigint>} */
    const sums = new Map();
    for (const { spot, units } of this.#chips) sums.set(spot, (sums.get(spot) ?? 0n) + units);
    return sums;
  }

  get total() {
    return this.#chips.reduce((sum, { units }) => sum + units, 0n);
  }

  /**
   * Replace all chips by these.
   * @param {PlacedChip[]} chips
   */
  place(chips) {
    this.#chips = [...chips];
    this.show();
  }

  /**
   * While locked, no chip can be placed or removed.
   * @param {boolean} isLocked
   */
  setLocked(isLocked) {
    this.#isLocked = isLocked;
    this.show();
  }

  show() {
    const { stakes } = this;
    for (const spot of this.spots) {
      this.showStake(spot, stakes.get(spot.dataset.spot ?? "") ?? 0n);
      spot.setAttribute("aria-disabled", String(this.#isLocked));
    }
    this.#staked.textContent = this.#options.currency.format(this.total);
    this.#undo.disabled = this.#clear.disabled = this.#isLocked || !this.#chips.length;
    this.#options.onChange();
  }

  /**
   * Return the spot with this name, or undefined.
   * @param {string} name
   */
  findSpot(name) {
    return this.spots.find((spot) => spot.dataset.spot === name);
  }

  /**
   * Show a stake on one spot, independently of placed chips.
   * @param {HTMLElement} spot
   * @param {bigint} units
   */
  showStake(spot, units) {
    const { currency, tray } = this.#options;
    const stake = findElement(spot, ".spot-stake", HTMLElement);
    if (units) stake.replaceChildren(createChipStack(units, tray.values, currency), currency.format(units));
    else stake.replaceChildren();
    const [name, odds] = [".spot-name", ".spot-odds"].map((part) => spot.querySelector(part)?.textContent?.trim());
    spot.setAttribute("aria-label", `${name}, ${odds}, ${units ? `staked ${currency.formatWithCode(units)}` : "no stake"}`);
  }

  /** @param {HTMLElement} spot */
  #placeOn(spot) {
    if (this.#isLocked) return;
    this.#options.onBeforePlace();
    this.#chips.push({ spot: spot.dataset.spot ?? "", units: this.#options.tray.value });
    playChipSound();
    this.show();
  }
}
