// @ts-check
/** The spots of a betting window, with the chips that lie on them. Chips move between the tray and the spots. */

import { ChipFlights } from "../../portal/js/chip-flights.js";
import { createChipStack } from "../../portal/js/chips.js";
import { createElement, findPart } from "../../portal/js/dom.js";
import { formatBrief, groupThousands } from "../../portal/js/money.js";
import { listTexts, tell } from "../../portal/js/words.js";

/**
 * @typedef {import("../../portal/js/chips.js").ChipTray} ChipTray
 * @typedef {import("../../portal/js/currency.js").Currency} Currency
 * @typedef {import("./bets.js").BetPlace} BetPlace
 * @typedef {import("./bets.js").Stakes} Stakes
 *
 * @typedef {object} BetSpotsOptions
 * @property {Currency} currency
 * @property {import("./game-view.js").GameView} view
 * @property {(place: BetPlace) => void} onPlace  called with the spot that a chip is placed on
 */

export class BetSpots {
  #table;
  #root;
  #options;
  /** @type {ChipTray | null} */
  #tray = null;
  /** @type {ChipFlights | null} */
  #flights = null;

  /**
   * @param {HTMLElement} table
   * @param {BetSpotsOptions} options
   */
  constructor(table, options) {
    this.#table = table;
    this.#root = findPart(table, "spots");
    this.#options = options;
  }

  /**
   * The spots keep their places and chips until the next window.
   * @param {boolean} isOpen  whether they take chips
   * @param {boolean} isShown
   */
  setOpen(isOpen, isShown) {
    this.#root.hidden = !isShown;
    for (const spot of this.#root.children) spot.setAttribute("aria-disabled", String(!isOpen));
  }

  /**
   * Create the spots of a window.
   * @param {BetPlace[]} places
   * @param {ChipTray} tray  that chips are placed from
   */
  layOut(places, tray) {
    this.#tray = tray;
    this.#flights = new ChipFlights(this.#table, { tray, currency: this.#options.currency, house: null });
    const order = this.#options.view.betOrder;
    const placed = [...places].sort((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
    this.#root.replaceChildren(...placed.map((place) => this.#createSpot(place)));
  }

  /** @param {Stakes} stakes */
  show(stakes) {
    const { currency } = this.#options;
    for (const spot of this.#root.querySelectorAll("button")) {
      const units = stakes.get(spot.dataset.spot ?? "") ?? 0n;
      const [name, odds, limits, stake] = spot.children;
      if (units) stake.replaceChildren(createChipStack(units, this.#tray?.values ?? [], currency), currency.format(units));
      else stake.replaceChildren();
      const words = units ? tell("stake-on-spot", { amount: currency.formatWithCode(units) }) : tell("stake-none");
      spot.setAttribute("aria-label", listTexts([...[name, odds, limits].map((part) => part.textContent ?? ""), words].filter(Boolean)));
    }
  }

  /**
   * Move chips between the tray and the spots whose stakes the player has changed.
   * @param {Stakes} before
   * @param {Stakes} after
   */
  moveChips(before, after) {
    this.#flights?.showChange(before, after);
  }

  /** @param {BetPlace} place */
  #createSpot(place) {
    const { name, odds, minimum, maximum } = place;
    const { currency, view, onPlace } = this.#options;
    const [least, most] = [minimum, maximum].map((units) => formatBrief(units, currency.decimals));
    const spot = createElement("button", `spot spot-${name.replaceAll("_", "-")}`);
    spot.type = "button";
    spot.dataset.spot = name;
    const words = odds ? tell("odds", { odds: groupThousands(odds) }) : view.describeOdds(name);
    const limits = tell("range", { least, most });
    const stake = createElement("span", "spot-stake");
    stake.setAttribute("aria-hidden", "true");
    spot.append(
      createElement("span", "spot-name", view.nameBet(name)), createElement("span", "spot-odds", words),
      createElement("span", "spot-limits", limits), stake,
    );
    spot.addEventListener("click", () => onPlace(place));
    return spot;
  }
}
