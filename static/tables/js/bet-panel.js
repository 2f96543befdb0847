// @ts-check
/**
 * The bets of a betting window: chips, spots, and the buttons that change all bets at once. A chip that is placed is
 * sent at once.
 */

import { BET_KEYS, BetTools } from "../../portal/js/bet-tools.js";
import { ChipTray } from "../../portal/js/chips.js";
import { findButton, findPart } from "../../portal/js/dom.js";
import { playChipSound } from "../../portal/js/sound.js";
import { sumStakes } from "../../portal/js/stakes.js";
import { tell } from "../../portal/js/words.js";
import { BetSpots } from "./bet-spots.js";
import { findLimits, fitToWindow, listPlaces, MAIN_BET } from "./bets.js";
import { ReadyButton } from "./ready-button.js";
import { StakeSender } from "./stake-sender.js";

/**
 * @typedef {import("../../portal/js/currency.js").Currency} Currency
 * @typedef {import("./bets.js").Action} Action
 * @typedef {import("./bets.js").BetPlace} BetPlace
 * @typedef {import("./bets.js").Stakes} Stakes
 * @typedef {import("./game-view.js").GameView} GameView
 *
 * @typedef {object} BetPanelOptions
 * @property {Currency} currency
 * @property {GameView} view
 * @property {import("../../portal/js/bet-memory.js").BetMemory} memory
 * @property {import("./wire.js").ServerClock} clock
 * @property {() => bigint | null} findBalance  the amount that can still be staked; null without a limit
 * @property {(payload: Record<string, unknown>) => Promise<boolean>} onAct  resolves with whether the server accepted
 *   it
 * @property {(text: string) => void} onProblem
 * @property {(text: string) => void} onSaved  called with the message about a saved favourite
 */

/** A change that lowers bets consists of two messages. Both must arrive before the window closes. */
const UNDO_UNTIL_MS = 1500;
const READY_KEYS = ["r", " "];

export class BetPanel {
  #table;
  #root;
  #spots;
  #chips;
  #undo;
  #clear;
  #rebet;
  #ready;
  #staked;
  #options;
  #sender;
  #tools;
  /** @type {ChipTray | null} */
  #tray = null;
  #trayLimits = "";
  /** @type {Action[]} */
  #actions = [];
  /** @type {BetPlace[]} */
  #places = [];
  #deadlineMs = 0;
  #isOpen = false;

  /**
   * @param {HTMLElement} table
   * @param {BetPanelOptions} options
   */
  constructor(table, options) {
    this.#table = table;
    this.#root = findPart(table, "betting");
    this.#spots = new BetSpots(table, { currency: options.currency, view: options.view, onPlace: (place) => this.#placeChip(place) });
    this.#chips = findPart(table, "chips");
    this.#undo = findButton(table, "undo");
    this.#clear = findButton(table, "clear");
    this.#rebet = findButton(table, "rebet");
    this.#ready = new ReadyButton(table, { onAct: options.onAct, onRepeat: () => this.#repeat() });
    this.#staked = findPart(table, "staked");
    this.#options = options;
    this.#sender = new StakeSender({ onAct: options.onAct, onChange: () => this.#showStakes() });
    this.#undo.addEventListener("click", () => this.#takeBack());
    this.#clear.addEventListener("click", () => this.#send(new Map()));
    this.#rebet.addEventListener("click", () => this.#repeat());
    this.#tools = new BetTools(table, {
      board: this, memory: options.memory, findFunds: () => this.#findFunds(), onSaved: options.onSaved,
    });
  }

  /**
   * Show the window. Without one the chips and buttons stay where they are and take nothing, so that nothing moves
   * with each round; cards on the player's own hands take their place.
   * @param {object} window
   * @param {string} window.windowId  empty where none is open
   * @param {Action[]} window.actions  empty where none is open for this player
   * @param {number} window.deadlineMs  by the server's clock
   * @param {Stakes | null} window.stakes  this player's stakes at the server; null if the server does not send them
   * @param {boolean} window.isReady
   * @param {boolean} window.isSeated
   * @param {boolean} window.hasHands
   */
  show({ windowId, actions, deadlineMs, stakes, isReady, isSeated, hasHands }) {
    const places = listPlaces(actions, this.#options.currency);
    this.#isOpen = places.length > 0;
    this.#actions = actions;
    this.#deadlineMs = deadlineMs;
    this.#root.hidden = !isSeated || !(this.#isOpen || (this.#places.length > 0 && !hasHands));
    if (this.#isOpen && JSON.stringify(places, writeBigInt) !== JSON.stringify(this.#places, writeBigInt)) this.#layOut(places);
    this.#spots.setOpen(this.#isOpen, isSeated && this.#places.length > 0);
    this.#ready.setReady(isReady);
    this.#sender.take(windowId, stakes);
    this.#showStakes();
  }

  /** The stakes on the spots. */
  get stakes() {
    return this.#sender.stakes;
  }

  get total() {
    return sumStakes(this.stakes);
  }

  get hasStake() {
    return this.stakes.size > 0;
  }

  /** @param {string} name */
  findLimits(name) {
    return findLimits(name, this.#places);
  }

  /**
   * Return the stakes that this window takes.
   * @param {Stakes} stakes
   */
  fit(stakes) {
    return fitToWindow(stakes, this.#places);
  }

  /**
   * Place these stakes instead of the present ones, as far as the window and the balance allow, and show which are
   * lowered. Returns whether they are sent.
   * @param {Stakes} wanted
   */
  change(wanted) {
    const stakes = this.fit(wanted);
    if (!this.#isOpen || !stakes.size) return false;
    if (isLower(stakes, this.stakes) && this.#isTooLate()) return false;
    if (!isEqual(stakes, this.stakes) && !this.#send(stakes)) return false;
    const full = this.#places.find(({ name, maximum }) => (wanted.get(name) ?? 0n) > maximum);
    if (full) this.#options.onProblem(describeFull(full, this.#options));
    return true;
  }

  /** The values of the chips, in smallest units. */
  get chipValues() {
    return this.#tray?.values ?? [];
  }

  /**
   * Remember the stakes of a round, so that the player can repeat them.
   * @param {Stakes} stakes
   */
  remember(stakes) {
    if (stakes.size) this.#options.memory.last = stakes;
  }

  /** Dim the chips that the balance does not cover. */
  showChips() {
    this.#tray?.show(this.#findFunds() - this.total);
  }

  /**
   * Press the button that has this key.
   * @param {string} key
   */
  press(key) {
    const part = READY_KEYS.includes(key) ? "ready" : BET_KEYS.get(key);
    const button = part && findButton(this.#table, part);
    if (button && !button.disabled && button.checkVisibility()) button.click();
  }

  /** @param {BetPlace[]} places */
  #layOut(places) {
    const { currency } = this.#options;
    this.#places = places;
    const [{ minimum, maximum, step: stakeStep }] = places;
    const limits = `${minimum}:${maximum}`;
    if (!this.#tray || limits !== this.#trayLimits) {
      this.#tray = new ChipTray(this.#chips, { minimum, maximum, currency, stakeStep });
      chooseChip(this.#chips, this.chipValues.findIndex((value) => value >= minimum)); // the lowest that is a bet by itself
    }
    this.#trayLimits = limits;
    this.#spots.layOut(places, this.#tray);
  }

  #showStakes() {
    const { currency } = this.#options;
    this.#spots.show(this.stakes);
    this.#staked.textContent = currency.format(this.total);
    this.#undo.disabled = !this.#isOpen || !this.#sender.canUndo;
    this.#clear.disabled = !this.#isOpen || !this.hasStake;
    this.#tools.show(this.#isOpen);
    this.showChips();
    const canRepeat = this.#isOpen && !this.hasStake && this.fit(this.#options.memory.last).size > 0;
    this.#rebet.disabled = !canRepeat;
    const isOffered = this.#actions.some(({ type }) => type === "ready");
    this.#ready.show({ isOpen: this.#isOpen, isOffered, hasStake: this.hasStake, canRepeat });
  }

  /** The most that may lie on all spots: the balance plus the stakes there, or without a balance the sum of limits. */
  #findFunds() {
    const balance = this.#options.findBalance();
    if (balance === null) return this.#places.reduce((sum, { maximum }) => sum + maximum, 0n);
    return balance + sumStakes(this.#sender.known);
  }

  /** @param {BetPlace} place */
  #placeChip(place) {
    if (!this.#isOpen) return;
    const { name, minimum, maximum } = place;
    const { currency, view, onProblem } = this.#options;
    const staked = this.stakes.get(name) ?? 0n;
    const wanted = staked + (this.#tray?.value ?? 0n);
    if (this.#places[0].name === MAIN_BET && name !== MAIN_BET && !this.stakes.has(MAIN_BET)) onProblem(tell("live-main-bet-first"));
    else if (wanted < minimum) onProblem(tell("live-spot-least", { amount: currency.formatWithCode(minimum), bet: view.nameBet(name) }));
    else if (staked >= maximum) onProblem(describeFull(place, this.#options));
    else this.change(new Map(this.stakes).set(name, wanted));
  }

  /**
   * Change the stakes if the balance covers them; returns whether it does.
   * @param {Stakes} stakes
   */
  #send(stakes) {
    const { currency, findBalance, onProblem } = this.#options;
    if (sumStakes(stakes) > this.#findFunds()) {
      onProblem(tell("live-balance-too-low", { amount: currency.formatWithCode(findBalance() ?? 0n) }));
      return false;
    }
    this.#clearProblem();
    this.#spots.moveChips(this.stakes, stakes);
    this.#sender.change(stakes, this.#window);
    return true;
  }

  #takeBack() {
    if (this.#isTooLate()) return;
    this.#clearProblem();
    const before = this.stakes;
    this.#sender.takeBack(this.#window);
    this.#spots.moveChips(before, this.stakes);
  }

  /** Tell the player if no time is left to lower a bet. */
  #isTooLate() {
    const isLate = this.#options.clock.countLeft(this.#deadlineMs) < UNDO_UNTIL_MS;
    if (isLate) this.#options.onProblem(tell("live-no-time"));
    return isLate;
  }

  #clearProblem() {
    this.#options.onProblem("");
    this.#ready.setReady(false);
    playChipSound();
  }

  get #window() {
    return { places: this.#places, actions: this.#actions, currency: this.#options.currency };
  }

  #repeat() {
    return this.change(this.#options.memory.last);
  }
}

/**
 * Return that a spot takes no more.
 * @param {BetPlace} place
 * @param {BetPanelOptions} options
 */
function describeFull({ name, maximum }, { currency, view }) {
  return tell("live-spot-full", { amount: currency.formatWithCode(maximum), bet: view.nameBet(name) });
}

/**
 * Return whether a stake is lower than before.
 * @param {Stakes} after
 * @param {Stakes} before
 */
function isLower(after, before) {
  return [...before].some(([name, units]) => (after.get(name) ?? 0n) < units);
}

/**
 * @param {Stakes} one
 * @param {Stakes} other
 */
function isEqual(one, other) {
  return one.size === other.size && !isLower(one, other) && !isLower(other, one);
}

/**
 * @param {HTMLElement} tray
 * @param {number} index
 */
function chooseChip(tray, index) {
  const chip = tray.children[index];
  if (chip instanceof HTMLButtonElement) chip.click();
}

/**
 * @param {string} _name
 * @param {unknown} value
 */
function writeBigInt(_name, value) {
  return typeof value === "bigint" ? String(value) : value;
}
