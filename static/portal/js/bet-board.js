// @ts-check
/** Spots that chips are placed on before a round, with undo and clear. A spot takes no more than its limit and the funds.
 * `bet-sender.js` sends the bets, at a table with a socket `game-socket.js`. */

import { createChipStack } from "./chips.js";
import { findButton, findElement, findPart } from "./dom.js";
import { playChipSound } from "./sound.js";
import { fitStakes, sumStakes } from "./stakes.js";
import { listTexts, tell } from "./words.js";

/**
 * @typedef {import("./chips.js").ChipTray} ChipTray
 * @typedef {import("./currency.js").Currency} Currency
 * @typedef {import("./stakes.js").Limits} Limits
 * @typedef {import("./stakes.js").Stakes} Stakes
 *
 * @typedef {object} BoardOptions
 * @property {ChipTray} tray
 * @property {Currency} currency
 * @property {import("./chip-flights.js").ChipFlights} flights
 * @property {(spot: HTMLElement) => Limits} findLimits
 * @property {() => bigint} findFunds  what the player can stake now
 * @property {() => void} onChange  called after every change of the chips or of the lock
 * @property {() => void} onBeforePlace  called before a chip is placed on a spot
 * @property {(text: string) => void} onProblem  called with the reason why a spot takes less, or with an empty text to
 *   clear it
 */

export class BetBoard {
  #options;
  #undo;
  #clear;
  #staked;
  /** @type {Stakes} */
  #stakes = new Map();
  /** The stakes before each change, for undo.
   * @type {Stakes[]} */
  #past = [];
  #isLocked = false;
  /** The stakes of the round on the felt, which lie on the spots while there is no bet for the next one.
   * @type {Stakes} */
  #played = new Map();

  /**
   * @param {HTMLElement} root  the table, with its spots and its buttons
   * @param {BoardOptions} options
   */
  constructor(root, options) {
    this.#options = options;
    this.#undo = findButton(root, "undo");
    this.#clear = findButton(root, "clear");
    this.#staked = findPart(root, "staked");
    this.spots = [...root.querySelectorAll("button[data-spot]")].filter((spot) => spot instanceof HTMLButtonElement);
    for (const spot of this.spots) {
      spot.addEventListener("click", () => this.#placeOn(spot));
      spot.disabled = false; // the page disables it until it takes clicks
    }
    this.#undo.addEventListener("click", () => this.undo());
    this.#clear.addEventListener("click", () => this.clear());
  }

  /** The stake of each spot with chips. */
  get stakes() {
    return new Map(this.#stakes);
  }

  get total() {
    return sumStakes(this.#stakes);
  }

  get isLocked() {
    return this.#isLocked;
  }

  /**
   * Place these stakes and forget the former ones.
   * @param {Iterable<[spot: string, units: bigint]>} stakes
   */
  place(stakes) {
    this.#stakes = new Map(stakes);
    this.#past = [];
    this.show();
  }

  /**
   * Place these stakes instead of the present ones, as far as limits and funds allow. Undo restores the present ones.
   * Return whether the new ones lie on the spots.
   * @param {Stakes} wanted
   */
  change(wanted) {
    if (this.#isLocked) return false;
    const stakes = this.fit(wanted);
    if (sumStakes(stakes) > this.#options.findFunds()) {
      this.#options.onProblem(this.#describeFunds());
      return false;
    }
    this.#past.push(this.#stakes);
    this.#options.flights.showChange(this.#stakes, stakes);
    this.#stakes = stakes;
    this.#played = new Map(); // also after a clear: those chips were of the round before
    const capped = this.spots.find((spot) => (wanted.get(nameSpot(spot)) ?? 0n) > (stakes.get(nameSpot(spot)) ?? 0n));
    this.#options.onProblem(capped ? this.#describeMaximum(capped) : "");
    playChipSound();
    this.show();
    return true;
  }

  /**
   * Return the stakes that the spots take.
   * @param {Stakes} stakes
   */
  fit(stakes) {
    return fitStakes(stakes, this.spots.map(nameSpot), (name) => this.findLimits(name));
  }

  undo() {
    const before = this.#past.pop();
    if (!before || this.#isLocked) return;
    this.#options.flights.showChange(this.#stakes, before);
    this.#stakes = before;
    this.#options.onProblem("");
    this.show();
  }

  clear() {
    if (this.#isLocked || !this.#stakes.size) return;
    this.#past.push(this.#stakes);
    this.#options.flights.showChange(this.#stakes, new Map());
    this.#stakes = new Map();
    this.#options.onProblem("");
    this.show();
  }

  /** Return why the stakes cannot be dealt, or an empty text. */
  describeFault() {
    const low = this.spots.find((spot) => {
      const stake = this.#stakes.get(nameSpot(spot));
      return stake !== undefined && stake < this.#options.findLimits(spot).minimum;
    });
    if (low) return this.#describeMinimum(low);
    const high = this.spots.find((spot) => (this.#stakes.get(nameSpot(spot)) ?? 0n) > this.#options.findLimits(spot).maximum);
    if (high) return this.#describeMaximum(high);
    return this.total > this.#options.findFunds() ? this.#describeFunds() : "";
  }

  /**
   * Return the limits of the spot with this name.
   * @param {string} name
   */
  findLimits(name) {
    const spot = this.findSpot(name);
    return spot ? this.#options.findLimits(spot) : { minimum: 0n, maximum: 0n };
  }

  /**
   * While locked, no chip can be placed or removed.
   * @param {boolean} isLocked
   */
  setLocked(isLocked) {
    this.#isLocked = isLocked;
    this.show();
  }

  /**
   * Show the stakes of the round on the felt; none after it is cleared. A stake without a spot counts too.
   * @param {Iterable<[spot: string, units: bigint]>} stakes
   */
  showPlayed(stakes) {
    this.#played = new Map(stakes);
    this.show();
  }

  show() {
    const lying = this.#stakes.size ? this.#stakes : this.#played;
    for (const spot of this.spots) {
      this.#showStake(spot, lying.get(nameSpot(spot)) ?? 0n);
      spot.setAttribute("aria-disabled", String(this.#isLocked));
    }
    this.#staked.textContent = this.#options.currency.format(sumStakes(lying));
    this.#undo.disabled = this.#isLocked || !this.#past.length;
    this.#clear.disabled = this.#isLocked || !this.#stakes.size;
    this.#options.onChange();
  }

  /**
   * Return the spot with this name, or undefined.
   * @param {string} name
   */
  findSpot(name) {
    return this.spots.find((spot) => nameSpot(spot) === name);
  }

  /**
   * @param {HTMLElement} spot
   * @param {bigint} units
   */
  #showStake(spot, units) {
    const { currency, tray } = this.#options;
    const stake = findElement(spot, ".spot-stake", HTMLElement);
    if (units) stake.replaceChildren(createChipStack(units, tray.values, currency), currency.format(units));
    else stake.replaceChildren();
    const [name, odds] = [".spot-name", ".spot-odds"].map((part) => spot.querySelector(part)?.textContent?.trim() ?? "");
    const words = units ? tell("stake-on-spot", { amount: currency.formatWithCode(units) }) : tell("stake-none");
    spot.setAttribute("aria-label", listTexts([name, odds, words]));
  }

  /** @param {HTMLElement} spot */
  #placeOn(spot) {
    if (this.#isLocked) return;
    this.#options.onBeforePlace();
    const name = nameSpot(spot);
    const stake = (this.#stakes.get(name) ?? 0n) + this.#options.tray.value;
    if (!this.change(new Map(this.#stakes).set(name, stake))) return;
    const { minimum } = this.#options.findLimits(spot);
    if (stake < minimum) this.#options.onProblem(this.#describeMinimum(spot));
  }

  /** @param {HTMLElement} spot */
  #describeMinimum(spot) {
    const amount = this.#options.currency.formatWithCode(this.#options.findLimits(spot).minimum);
    return tell("spot-minimum", { spot: titleSpot(spot), amount });
  }

  /** @param {HTMLElement} spot */
  #describeMaximum(spot) {
    const amount = this.#options.currency.formatWithCode(this.#options.findLimits(spot).maximum);
    return tell("spot-maximum", { spot: titleSpot(spot), amount });
  }

  #describeFunds() {
    return tell("balance-too-low", { amount: this.#options.currency.formatWithCode(this.#options.findFunds()) });
  }
}

/** @param {HTMLElement} spot */
function nameSpot(spot) {
  return spot.dataset.spot ?? "";
}

/** @param {HTMLElement} spot */
function titleSpot(spot) {
  return spot.querySelector(".spot-name")?.textContent?.trim() ?? "";
}
