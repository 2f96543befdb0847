// @ts-check
/** Chips that move over the felt: from the tray to a spot and back, from the house to a spot and back. */

import { createChipStack } from "./chips.js";
import { moveCopy } from "./motion.js";
import { playChipsSound, playWinSound } from "./sound.js";

/**
 * @typedef {import("./chips.js").ChipTray} ChipTray
 * @typedef {import("./currency.js").Currency} Currency
 * @typedef {import("./stakes.js").Stakes} Stakes
 */

export class ChipFlights {
  #root;
  #tray;
  #currency;

  /**
   * @param {HTMLElement} root  the table
   * @param {{ tray: ChipTray, currency: Currency }} options
   */
  constructor(root, { tray, currency }) {
    this.#root = root;
    this.#tray = tray;
    this.#currency = currency;
  }

  /**
   * Move chips between the tray and the spots whose stakes have changed.
   * @param {Stakes} before
   * @param {Stakes} after
   */
  showChange(before, after) {
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [had, has] = [before.get(name) ?? 0n, after.get(name) ?? 0n];
      const ends = /** @type {const} */ ([this.#tray.chosenChip, this.#findSpot(name)]);
      if (has > had) this.#move(has - had, ...ends);
      else this.#move(had - has, ends[1], ends[0]);
    }
  }

  /**
   * Move what the bets of a round have won from the house to their spots, and what they have lost to the house. A gain
   * sounds; a return below the stake is none.
   * @param {{ spot: string, stake: bigint, payout: bigint }[]} bets
   */
  showPayouts(bets) {
    if (bets.reduce((sum, { stake, payout }) => sum + payout - stake, 0n) > 0n) playWinSound();
    else playChipsSound();
    const house = this.#root.querySelector(".felt-head");
    for (const { spot, stake, payout } of bets) {
      if (payout > stake) this.#move(payout - stake, house, this.#findSpot(spot));
      else this.#move(stake - payout, this.#findSpot(spot), house);
    }
  }

  /** @param {string} name */
  #findSpot(name) {
    return this.#root.querySelector(`[data-spot="${CSS.escape(name)}"] .spot-stake`)?.closest("[data-spot]") ?? null;
  }

  /**
   * @param {bigint} units
   * @param {Element | null} from
   * @param {Element | null} to
   */
  #move(units, from, to) {
    if (!units || !from?.checkVisibility() || !to?.checkVisibility()) return;
    const stack = createChipStack(units, this.#tray.values, this.#currency);
    stack.classList.add("flying");
    stack.setAttribute("aria-hidden", "true");
    moveCopy(this.#root, stack, from, to);
  }
}
