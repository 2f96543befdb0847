// @ts-check
/** Chips that move over the felt: from the tray to a spot and back, from the house to a spot and back. */

import { createChipStack } from "./chips.js";
import { moveCopy } from "./motion.js";
import { playChipsSound, playWinSound } from "./sound.js";

/**
 * @typedef {import("./currency.js").Currency} Currency
 * @typedef {import("./stakes.js").Stakes} Stakes
 *
 * @typedef {object} FlightOptions
 * @property {{ values: bigint[], chosenChip: Element | null }} tray  the chips that stacks are made of, and the one
 *   that is placed
 * @property {Currency} currency
 * @property {Element | null} house  where the chips of lost bets go
 * @property {(name: string) => Element | null} [findSpot]  the place of the bets with this name
 */

export class ChipFlights {
  #root;
  #tray;
  #currency;
  #house;
  #findSpot;

  /**
   * @param {HTMLElement} root  the table
   * @param {FlightOptions} options
   */
  constructor(root, { tray, currency, house, findSpot = (name) => findStakedSpot(root, name) }) {
    this.#root = root;
    this.#tray = tray;
    this.#currency = currency;
    this.#house = house;
    this.#findSpot = findSpot;
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
   * Move the winnings of a round's bets from the house to their spots, and the lost stakes to the house. A gain of the
   * player has a sound. A payout below the stake is no gain.
   * @param {{ spot: string, stake: bigint, payout: bigint, isOwn?: boolean }[]} bets
   */
  showPayouts(bets) {
    const net = bets.reduce((sum, { stake, payout, isOwn = true }) => (isOwn ? sum + payout - stake : sum), 0n);
    if (net > 0n) playWinSound();
    else playChipsSound();
    for (const { spot, stake, payout } of bets) {
      if (payout > stake) this.#move(payout - stake, this.#house, this.#findSpot(spot));
      else this.#move(stake - payout, this.#findSpot(spot), this.#house);
    }
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

/**
 * @param {HTMLElement} root
 * @param {string} name
 */
function findStakedSpot(root, name) {
  return root.querySelector(`[data-spot="${CSS.escape(name)}"] .spot-stake`)?.closest("[data-spot]") ?? null;
}
