/** Spots that chips are laid on before a round, with undo and clear. Both tables have one. */

import { chipStack } from "./chips.js";
import { shown } from "./money.js";
import { chipSound } from "./sound.js";

const $ = (id) => document.getElementById(id);

export class BetBoard {
  #spots;
  #tray;
  #money;
  #changed;
  #chips = [];
  #isLocked = false;

  /** `spots` are buttons with `data-spot`; `changed` is called after every chip, `laid` before a chip is laid. */
  constructor({ spots, tray, decimals, currency, changed, beforeLay = () => {} }) {
    this.#spots = spots;
    this.#tray = tray;
    this.#money = { decimals, currency };
    this.#changed = changed;
    for (const spot of spots) {
      spot.addEventListener("click", () => {
        if (this.#isLocked) return;
        beforeLay();
        this.#chips.push({ name: spot.dataset.spot, units: tray.value() });
        chipSound();
        this.show();
      });
    }
    $("undo").addEventListener("click", () => this.lay(this.#chips.slice(0, -1)));
    $("clear").addEventListener("click", () => this.lay([]));
  }

  /** The chips in the order they were laid: `{ name, units }`. */
  get chips() {
    return [...this.#chips];
  }

  /** What lies on each spot that has something on it. */
  get stakes() {
    const sums = new Map();
    for (const { name, units } of this.#chips) sums.set(name, (sums.get(name) ?? 0n) + units);
    return sums;
  }

  get total() {
    return this.#chips.reduce((sum, { units }) => sum + units, 0n);
  }

  /** Lay these chips and no others. */
  lay(chips) {
    this.#chips = [...chips];
    this.show();
  }

  /** While locked nothing can be laid or taken off. */
  lock(isLocked) {
    this.#isLocked = isLocked;
    this.show();
  }

  show() {
    const { stakes } = this;
    for (const spot of this.#spots) {
      this.spotShow(spot, stakes.get(spot.dataset.spot) ?? 0n);
      spot.setAttribute("aria-disabled", String(this.#isLocked));
    }
    $("staked").textContent = shown(this.total, this.#money.decimals);
    $("undo").disabled = $("clear").disabled = this.#isLocked || !this.#chips.length;
    this.#changed();
  }

  /** Show a stake on one spot, whatever is laid. */
  spotShow(spot, units) {
    const { decimals, currency } = this.#money;
    const stake = spot.querySelector(".spot-stake");
    const amount = shown(units, decimals);
    if (units) stake.replaceChildren(chipStack(units, this.#tray.values, decimals), amount);
    else stake.replaceChildren();
    const [name, odds] = [".spot-name", ".spot-odds"].map((part) => spot.querySelector(part).textContent.trim());
    spot.setAttribute("aria-label", `${name}, ${odds}, ${units ? `staked ${amount} ${currency}` : "no stake"}`);
  }
}
