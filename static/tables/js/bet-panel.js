// @ts-check
/**
 * Spots and chips of a betting window. A chip that is laid is sent at once: what lies on the spots is what the server has, and
 * nothing is lost when the window closes.
 */

import { ChipTray, createChipStack } from "../../portal/js/chips.js";
import { createElement, findButton, findPart } from "../../portal/js/dom.js";
import { playChipSound } from "../../portal/js/sound.js";
import { fitStakes, isAdding, listPlaces, MAIN_BET, writeAddedBet, writeWholeBet } from "./bets.js";

/**
 * @typedef {import("../../portal/js/currency.js").Currency} Currency
 * @typedef {import("./bets.js").Action} Action
 * @typedef {import("./bets.js").BetPlace} BetPlace
 * @typedef {import("./game-view.js").GameView} GameView
 *
 * @typedef {object} BetPanelOptions
 * @property {Currency} currency
 * @property {GameView} view
 * @property {(payload: Record<string, unknown>) => Promise<boolean>} onAct  resolves with whether the server took it
 * @property {(text: string) => void} onProblem
 */

export class BetPanel {
  #root;
  #spots;
  #chips;
  #clear;
  #rebet;
  #ready;
  #staked;
  #options;
  /** @type {ChipTray | null} */
  #tray = null;
  #trayLimits = "";
  /** @type {Action[]} */
  #actions = [];
  /** @type {BetPlace[]} */
  #places = [];
  /** What the server has, and what is on its way to it. @type {Map<string, bigint>} */
  #stakes = new Map();
  /** What the server is known to have. @type {Map<string, bigint>} */
  #known = new Map();
  /** @type {Map<string, bigint>} */
  #last = new Map();
  #sending = 0;
  #isOpen = false;
  #isReady = false;
  #windowId = "";

  /**
   * @param {HTMLElement} table
   * @param {BetPanelOptions} options
   */
  constructor(table, options) {
    this.#root = findPart(table, "betting");
    this.#spots = findPart(table, "spots");
    this.#chips = findPart(table, "chips");
    this.#clear = findButton(table, "clear");
    this.#rebet = findButton(table, "rebet");
    this.#ready = findButton(table, "ready");
    this.#staked = findPart(table, "staked");
    this.#options = options;
    this.#clear.addEventListener("click", () => this.#sendClear());
    this.#rebet.addEventListener("click", () => this.#sendLast());
    this.#ready.addEventListener("click", () => this.#sendReady());
  }

  /**
   * Show the window, or put chips and spots away.
   * @param {object} window
   * @param {string} window.windowId  empty where none is open
   * @param {Action[]} window.actions  empty where none is open for this player
   * @param {Map<string, bigint> | null} window.stakes  what the server has of this player's; null where it does not say
   * @param {boolean} window.isReady
   * @param {boolean} window.isSeated
   */
  show({ windowId, actions, stakes, isReady, isSeated }) {
    const places = listPlaces(actions, this.#options.currency);
    this.#isOpen = places.length > 0;
    this.#isReady = isReady;
    this.#actions = actions;
    this.#root.hidden = this.#spots.hidden = !isSeated || !this.#isOpen;
    if (this.#isOpen && JSON.stringify(places, writeBigInt) !== JSON.stringify(this.#places, writeBigInt)) this.#layOut(places);
    if (stakes) this.#known = new Map(stakes);
    else if (windowId !== this.#windowId) this.#known = new Map();
    if (!this.#sending) this.#stakes = new Map(this.#known);
    this.#windowId = windowId;
    this.#showStakes();
  }

  /** What lies on the spots. */
  get stakes() {
    return this.#stakes;
  }

  get hasStake() {
    return this.#stakes.size > 0;
  }

  /**
   * Remember what was staked in a round, so that it can be bet again.
   * @param {Map<string, bigint>} stakes
   */
  remember(stakes) {
    if (stakes.size) this.#last = new Map(stakes);
  }

  /**
   * Press the button that has this key.
   * @param {string} key
   */
  press(key) {
    const button = new Map([["b", this.#rebet], ["c", this.#clear], ["r", this.#ready]]).get(key);
    if (button && !button.disabled && button.checkVisibility()) button.click();
  }

  /** @param {BetPlace[]} places */
  #layOut(places) {
    const { currency } = this.#options;
    this.#places = places;
    const [{ minimum, maximum, step: stakeStep }] = places;
    const limits = `${minimum}:${maximum}`;
    if (limits !== this.#trayLimits) this.#tray = new ChipTray(this.#chips, { minimum, maximum, currency, stakeStep });
    this.#trayLimits = limits;
    this.#spots.replaceChildren(...places.map((place) => this.#createSpot(place)));
  }

  /** @param {BetPlace} place */
  #createSpot({ name, odds, minimum, maximum }) {
    const { currency, view } = this.#options;
    const spot = createElement("button", `spot spot-${name.replaceAll("_", "-")}`);
    spot.type = "button";
    spot.dataset.spot = name;
    spot.title = `${currency.format(minimum)} to ${currency.formatWithCode(maximum)}`;
    const words = odds ? `${odds} to 1` : view.describeOdds(name);
    const stake = createElement("span", "spot-stake");
    stake.setAttribute("aria-hidden", "true");
    spot.append(createElement("span", "spot-name", view.nameBet(name)), createElement("span", "spot-odds", words), stake);
    spot.addEventListener("click", () => this.#layChip(name));
    return spot;
  }

  #showStakes() {
    const { currency } = this.#options;
    let total = 0n;
    for (const spot of this.#spots.querySelectorAll("button")) {
      const units = this.#stakes.get(spot.dataset.spot ?? "") ?? 0n;
      total += units;
      const [name, odds, stake] = spot.children;
      if (units) stake.replaceChildren(createChipStack(units, this.#tray?.values ?? [], currency), currency.format(units));
      else stake.replaceChildren();
      const words = units ? `staked ${currency.formatWithCode(units)}` : "no stake";
      spot.setAttribute("aria-label", [name.textContent, odds.textContent, words].filter(Boolean).join(", "));
    }
    this.#staked.textContent = currency.format(total);
    this.#clear.disabled = !this.#isOpen || !total;
    this.#rebet.disabled = !this.#isOpen || total > 0n || !fitStakes(this.#last, this.#places).size;
    this.#ready.disabled = !this.#isOpen || !total || this.#isReady;
    this.#ready.hidden = !this.#actions.some(({ type }) => type === "ready");
    this.#ready.textContent = this.#isReady ? "Ready, waiting" : "Ready";
  }

  /** @param {string} name */
  #layChip(name) {
    const units = this.#tray?.value ?? 0n;
    const isMainMissing = this.#places[0].name === MAIN_BET && name !== MAIN_BET && !this.#stakes.has(MAIN_BET);
    if (isMainMissing) {
      this.#options.onProblem("Lay your bet first: a side bet goes with it.");
      return;
    }
    playChipSound();
    const stakes = new Map(this.#stakes).set(name, (this.#stakes.get(name) ?? 0n) + units);
    const { currency } = this.#options;
    const isMore = isAdding(this.#actions);
    this.#send(isMore ? writeAddedBet(name, units, currency) : writeWholeBet(stakes, this.#places, currency), stakes);
  }

  #sendClear() {
    this.#send({ action: "clear_bets" }, new Map());
  }

  #sendLast() {
    const { currency } = this.#options;
    const stakes = fitStakes(this.#last, this.#places);
    if (!isAdding(this.#actions)) {
      this.#send(writeWholeBet(stakes, this.#places, currency), stakes);
      return;
    }
    const laid = new Map(this.#stakes);
    for (const [name, units] of stakes) {
      laid.set(name, units);
      this.#send(writeAddedBet(name, units, currency), new Map(laid));
    }
  }

  async #sendReady() {
    this.#isReady = true;
    this.#showStakes();
    if (!(await this.#options.onAct({ action: "ready" }))) this.#isReady = false;
    this.#showStakes();
  }

  /**
   * Send what changes the stakes, and show them as they will be.
   * @param {Record<string, unknown>} payload
   * @param {Map<string, bigint>} stakes
   */
  async #send(payload, stakes) {
    this.#options.onProblem("");
    this.#stakes = stakes;
    this.#isReady = false;
    this.#sending += 1;
    this.#showStakes();
    const isTaken = await this.#options.onAct(payload);
    this.#sending -= 1;
    if (isTaken) this.#known = new Map(stakes);
    else if (!this.#sending) this.#stakes = new Map(this.#known);
    this.#showStakes();
  }
}

/**
 * @param {string} _name
 * @param {unknown} value
 */
function writeBigInt(_name, value) {
  return typeof value === "bigint" ? String(value) : value;
}
