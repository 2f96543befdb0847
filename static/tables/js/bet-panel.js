// @ts-check
/** The bets of a betting window: chips, spots, and the buttons that change all bets at once. A chip that is placed is sent at once. */

import { ChipTray } from "../../portal/js/chips.js";
import { findButton, findPart } from "../../portal/js/dom.js";
import { playChipSound } from "../../portal/js/sound.js";
import { tell } from "../../portal/js/words.js";
import { BetSpots } from "./bet-spots.js";
import { computeDoubled, fitStakes, listPlaces, MAIN_BET, sumStakes } from "./bets.js";
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
 * @property {import("./kept-bets.js").KeptBets} kept
 * @property {import("./wire.js").ServerClock} clock
 * @property {() => bigint | null} findBalance  what can be staked more; null where nothing limits it
 * @property {(payload: Record<string, unknown>) => Promise<boolean>} onAct  resolves with whether the server took it
 * @property {(text: string) => void} onProblem
 */

/** A change that takes bets back is two messages; both have to arrive before the window closes. */
const UNDO_UNTIL_MS = 1500;

export class BetPanel {
  #root;
  #spots;
  #chips;
  #undo;
  #double;
  #clear;
  #rebet;
  #ready;
  #staked;
  #options;
  #sender;
  /** @type {ChipTray | null} */
  #tray = null;
  #trayLimits = "";
  /** @type {Action[]} */
  #actions = [];
  /** @type {BetPlace[]} */
  #places = [];
  /** @type {Stakes} */
  #last;
  #deadlineMs = 0;
  #isOpen = false;
  #isReady = false;

  /**
   * @param {HTMLElement} table
   * @param {BetPanelOptions} options
   */
  constructor(table, options) {
    this.#root = findPart(table, "betting");
    this.#spots = new BetSpots(table, { currency: options.currency, view: options.view, onPlace: (place) => this.#placeChip(place) });
    this.#chips = findPart(table, "chips");
    this.#undo = findButton(table, "undo");
    this.#double = findButton(table, "double");
    this.#clear = findButton(table, "clear");
    this.#rebet = findButton(table, "rebet");
    this.#ready = findButton(table, "ready");
    this.#staked = findPart(table, "staked");
    this.#options = options;
    this.#last = options.kept.read();
    this.#sender = new StakeSender({ onAct: options.onAct, onChange: () => this.#showStakes() });
    this.#undo.addEventListener("click", () => this.#takeBack());
    this.#double.addEventListener("click", () => this.#change(computeDoubled(this.stakes, this.#places)));
    this.#clear.addEventListener("click", () => this.#change(new Map()));
    this.#rebet.addEventListener("click", () => this.#repeat());
    this.#ready.addEventListener("click", () => this.#sendReady());
  }

  /**
   * Show the window, or hide chips and spots.
   * @param {object} window
   * @param {string} window.windowId  empty where none is open
   * @param {Action[]} window.actions  empty where none is open for this player
   * @param {number} window.deadlineMs  by the server's clock
   * @param {Stakes | null} window.stakes  what the server has of this player's; null where it does not say
   * @param {boolean} window.isReady
   * @param {boolean} window.isSeated
   */
  show({ windowId, actions, deadlineMs, stakes, isReady, isSeated }) {
    const places = listPlaces(actions, this.#options.currency);
    this.#isOpen = places.length > 0;
    this.#isReady = isReady;
    this.#actions = actions;
    this.#deadlineMs = deadlineMs;
    this.#root.hidden = !isSeated || !this.#isOpen;
    if (this.#isOpen && JSON.stringify(places, writeBigInt) !== JSON.stringify(this.#places, writeBigInt)) this.#layOut(places);
    this.#spots.setOpen(this.#isOpen, isSeated && this.#places.length > 0);
    this.#sender.take(windowId, stakes);
    this.#showStakes();
  }

  /** The stakes on the spots. */
  get stakes() {
    return this.#sender.stakes;
  }

  get hasStake() {
    return this.stakes.size > 0;
  }

  /** The values of the chips, in smallest units. */
  get chipValues() {
    return this.#tray?.values ?? [];
  }

  /**
   * Remember what was staked in a round, so that it can be bet again.
   * @param {Stakes} stakes
   */
  remember(stakes) {
    if (!stakes.size) return;
    this.#last = new Map(stakes);
    this.#options.kept.write(stakes);
  }

  /** Dim the chips that the balance does not cover. */
  showChips() {
    const left = this.#countLeft();
    this.chipValues.forEach((value, index) => {
      this.#chips.children[index]?.toggleAttribute("data-too-high", left !== null && value > left);
    });
  }

  /**
   * Press the button that has this key.
   * @param {string} key
   */
  press(key) {
    const buttons = new Map([
      ["b", this.#rebet], ["u", this.#undo], ["x", this.#double], ["c", this.#clear], ["r", this.#ready], [" ", this.#ready],
    ]);
    const button = buttons.get(key);
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
    const total = sumStakes(this.stakes);
    this.#spots.show(this.stakes);
    this.#staked.textContent = currency.format(total);
    this.#undo.disabled = !this.#isOpen || !this.#sender.canUndo;
    this.#double.disabled = !this.#isOpen || !total;
    this.#clear.disabled = !this.#isOpen || !total;
    this.showChips();
    this.#showReady();
  }

  /** Ready repeats the last bet if none is placed, so that a round is one click or key. */
  #showReady() {
    const canRepeat = this.#isOpen && !this.hasStake && fitStakes(this.#last, this.#places).size > 0;
    this.#rebet.disabled = !canRepeat;
    this.#ready.disabled = !this.#isOpen || this.#isReady || !(this.hasStake || canRepeat);
    this.#ready.hidden = !this.#actions.some(({ type }) => type === "ready");
    const words = canRepeat ? "live-repeat-ready" : "live-ready";
    this.#ready.textContent = tell(this.#isReady ? "live-ready-waiting" : words);
  }

  /** The balance that is left for further bets; null where nothing limits it. */
  #countLeft() {
    const balance = this.#options.findBalance();
    return balance === null ? null : balance - sumStakes(this.stakes) + sumStakes(this.#sender.known);
  }

  /** @param {BetPlace} place */
  #placeChip({ name, minimum, maximum }) {
    if (!this.#isOpen) return;
    const { currency, view, onProblem } = this.#options;
    const bet = view.nameBet(name);
    const staked = this.stakes.get(name) ?? 0n;
    const wanted = staked + (this.#tray?.value ?? 0n);
    const units = wanted < maximum ? wanted : maximum;
    if (this.#places[0].name === MAIN_BET && name !== MAIN_BET && !this.stakes.has(MAIN_BET)) onProblem(tell("live-main-bet-first"));
    else if (units < minimum) onProblem(tell("live-spot-least", { amount: currency.formatWithCode(minimum), bet }));
    else {
      const isSent = units > staked && this.#change(new Map(this.stakes).set(name, units));
      if (wanted > maximum && (isSent || units === staked)) onProblem(tell("live-spot-full", { amount: currency.formatWithCode(maximum), bet }));
    }
  }

  /**
   * Change the stakes, if the balance covers them; returns whether it does.
   * @param {Stakes} stakes
   */
  #change(stakes) {
    const { currency, findBalance, onProblem } = this.#options;
    const left = this.#countLeft();
    if (left !== null && sumStakes(stakes) - sumStakes(this.stakes) > left) {
      onProblem(tell("live-balance-too-low", { amount: currency.formatWithCode(findBalance() ?? 0n) }));
      return false;
    }
    this.#clearProblem();
    this.#spots.moveChips(this.stakes, stakes);
    this.#sender.change(stakes, this.#window);
    return true;
  }

  #takeBack() {
    if (this.#options.clock.countLeft(this.#deadlineMs) < UNDO_UNTIL_MS) {
      this.#options.onProblem(tell("live-no-time"));
      return;
    }
    this.#clearProblem();
    const before = this.stakes;
    this.#sender.takeBack(this.#window);
    this.#spots.moveChips(before, this.stakes);
  }

  #clearProblem() {
    this.#options.onProblem("");
    this.#isReady = false;
    playChipSound();
  }

  get #window() {
    return { places: this.#places, actions: this.#actions, currency: this.#options.currency };
  }

  #repeat() {
    return this.#change(fitStakes(this.#last, this.#places));
  }

  async #sendReady() {
    if (!this.hasStake && !this.#repeat()) return;
    this.#isReady = true;
    this.#showReady();
    if (!(await this.#options.onAct({ action: "ready" }))) this.#isReady = false;
    this.#showReady();
  }
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
