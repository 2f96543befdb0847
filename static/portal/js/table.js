// @ts-check
/**
 * What every table does, whatever is played at it: chips on spots, limits, bets placed again, busy and idle, keys, refusals,
 * and following the player. A game extends it with what is its own.
 *
 * A table reaches nothing but its own element and the data that came with it, so a page may hold several. It never decides
 * what a bet comes to: cards and money are the server's.
 */

import { Announcer } from "./announcer.js";
import { BetBoard } from "./bet-board.js";
import { ChipTray, splitIntoChips } from "./chips.js";
import { Currency } from "./currency.js";
import { findButton, findElement, findPart, readPageData } from "./dom.js";
import { groupThousands } from "./money.js";
import { PlayerIdentity } from "./player-identity.js";
import { watch } from "./player-watch.js";
import { formatRefusal } from "./refusals.js";
import { isSoundOn, setSoundOn } from "./sound.js";
import { connectKeys, connectSwitch } from "./switches.js";

/**
 * What a table's page came with, and what is followed afterwards; amounts as plain texts.
 * @typedef {object} TableData
 * @property {string} currency
 * @property {number} decimals
 * @property {string} betMin
 * @property {string} betMax
 * @property {string} token  of a launch link; empty with a log-in
 * @property {string} [seedUrl]  takes the first client seed; empty where one is chosen
 */

/** @template {TableData} Data */
export class Table {
  /** @type {import("./bet-board.js").PlacedChip[]} */
  #lastBets = [];
  #deal;
  #rebet;
  #limits;
  isBusy = false;

  /**
   * @param {HTMLElement} root
   * @param {Data} data
   */
  constructor(root, data) {
    if (!watch) throw new Error("A table is shown to a player alone.");
    this.root = root;
    this.data = data;
    this.watch = watch;
    this.currency = new Currency(data.currency, data.decimals);
    this.announcer = new Announcer(root);
    this.identity = PlayerIdentity.read(root, data);
    this.#deal = findButton(root, "deal");
    this.#rebet = findButton(root, "rebet");
    this.#limits = findPart(root, "limits");
    this.tray = new ChipTray(findPart(root, "chips"), {
      minimum: this.currency.parse(data.betMin), maximum: this.currency.parse(data.betMax), currency: this.currency,
    });
    this.board = new BetBoard(root, {
      tray: this.tray, currency: this.currency, onChange: () => this.showButtons(), onBeforePlace: () => this.prepareSpots(),
    });
    this.#listen();
  }

  // what a game decides

  /** Send the chips on the spots as a bet. */
  dealBets() {
    throw new Error("A game deals its own bets.");
  }

  /** Whether no round is being dealt or played, so that the felt may be cleared. */
  get isIdle() {
    return !this.isBusy;
  }

  /** Whether a bet may be sent now. */
  get canBet() {
    return this.isIdle;
  }

  /** Whether a finished round lies on the felt. */
  get hasResult() {
    return false;
  }

  /** Take a finished round off the felt; the chips that are placed stay. */
  clearResult() {}

  /** Called before a chip is placed. */
  prepareSpots() {}

  /** Place the last bets again. */
  repeatBets() {
    this.placeLastBets();
  }

  /**
   * Show what the server has now: limits, terms, rounds of another window.
   * @param {Data} state
   */
  follow(state) {
    this.showLimits(state);
  }

  /**
   * Do what a key stands for.
   * @param {string} key  in lower case
   */
  pressKey(key) {
    if (key === "b" && this.#rebet.checkVisibility()) this.#rebet.click();
  }

  // what games share

  /** Nothing can be pressed, and what the server has is not shown, until the table is idle again. */
  setBusy() {
    this.watch.hold();
    this.isBusy = true;
    this.board.setLocked(true);
  }

  showButtons() {
    const { total } = this.board;
    this.#deal.disabled = !this.canBet || !total;
    this.#rebet.disabled = !this.canBet || total > 0n || !this.#lastBets.length;
  }

  /** @param {TableData} terms */
  showLimits({ betMin, betMax }) {
    const limits = `${groupThousands(betMin)} to ${groupThousands(betMax)}`;
    this.#limits.textContent = `Limits a bet: ${limits} ${this.currency.code}`;
  }

  /**
   * Remember what was staked in the round that has ended, so that it can be bet again.
   * @param {Iterable<[spot: string, stake: bigint]>} stakes
   */
  rememberBets(stakes) {
    this.#lastBets = [...stakes].flatMap(([spot, stake]) =>
      splitIntoChips(stake, this.tray.values).map((units) => ({ spot, units })),
    );
  }

  placeLastBets() {
    this.board.place(this.#lastBets);
  }

  focusDeal() {
    this.#deal.focus({ preventScroll: true });
  }

  /** Focus what places the last bets again, where there are any. */
  focusRebet() {
    if (this.#lastBets.length) this.#rebet.focus({ preventScroll: true });
  }

  /**
   * Show that the server refused a bet or a move.
   * @param {string} message  the server's words
   * @param {{ isLoggedOut?: boolean }} [options]
   */
  showRefusal(message, { isLoggedOut = false } = {}) {
    this.announcer.showProblem(formatRefusal(message), isLoggedOut ? this.identity.createLoginLink() : null);
  }

  #listen() {
    this.root.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.canBet && this.board.total) this.dealBets();
    });
    this.#rebet.addEventListener("click", () => this.repeatBets());
    connectSwitch(findButton(this.root, "sound"), isSoundOn, setSoundOn);
    const keys = this.root.querySelector("[data-part=keys]");
    if (keys instanceof HTMLButtonElement) connectKeys(keys, (key) => this.pressKey(key));
    this.watch.addEventListener("state", (event) => {
      if (event instanceof CustomEvent) this.follow(event.detail);
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented && !event.repeat) this.#dismiss({ isOnFelt: false });
    });
    findElement(this.root, ".felt", HTMLElement).addEventListener("click", ({ target }) => {
      if (target instanceof Element && !target.closest("button, a, input")) this.#dismiss({ isOnFelt: true });
    });
  }

  /**
   * Take a finished round off the felt; where there is none, Escape takes the chips off too.
   * @param {{ isOnFelt: boolean }} where
   */
  #dismiss({ isOnFelt }) {
    if (!this.isIdle) return;
    if (this.hasResult) this.clearResult();
    else if (!isOnFelt) this.board.place([]);
  }
}

/**
 * Open the table of the page; where the game is not offered the page has none.
 * @param {new (root: HTMLElement, data: any) => { open(): void }} Kind
 */
export function openTable(Kind) {
  const root = document.getElementById("table");
  if (root) new Kind(root, readPageData("table-data")).open();
}
