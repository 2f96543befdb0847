// @ts-check
/**
 * The table of every game: chips on spots, limits, repeated bets, busy and idle, keys, refusals, and following the
 * player. A game extends it.
 *
 * A table uses only its own element and its own data, so a page may have several tables. The server decides about cards
 * and money.
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
import { sendSignal } from "./signals.js";
import { isSoundOn, setSoundOn } from "./sound.js";
import { connectKeys, connectSwitch } from "./switches.js";

/**
 * The data of a table's page, and of later states; amounts as plain texts.
 * @typedef {object} TableData
 * @property {string} currency
 * @property {number} decimals
 * @property {string} betMin
 * @property {string} betMax
 * @property {string} token  of a launch link; empty with a log-in
 * @property {boolean} isVisitor  whether the player has no account yet, not even a guest's
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
    if (!watch) throw new Error("A table needs a player.");
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

  // defined by a game

  /** Send the chips on the spots as a bet. */
  dealBets() {
    throw new Error("A game must deal its bets.");
  }

  /** Whether no round is being dealt or played, so that the felt may be cleared. */
  get isIdle() {
    return !this.isBusy;
  }

  /** Whether a bet may be sent now. */
  get canBet() {
    return this.isIdle;
  }

  /** Whether a finished round is on the felt. */
  get hasResult() {
    return false;
  }

  /** Clear a finished round from the felt; placed chips stay. */
  clearResult() {}

  /** Called before a chip is placed. */
  prepareSpots() {}

  /** Place the last bets again. */
  repeatBets() {
    this.placeLastBets();
  }

  /**
   * Show the server's current state: limits, terms, rounds of another window.
   * @param {Data} state
   */
  follow(state) {
    this.showLimits(state);
  }

  /**
   * Perform the action of a key.
   * @param {string} key  in lower case
   */
  pressKey(key) {
    if (key === "b" && this.#rebet.checkVisibility()) this.#rebet.click();
  }

  // shared by games

  /** Disable all buttons, and do not show the server's state, until the table is idle again. */
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
   * Remember the stakes of the ended round, so that they can be placed again.
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

  /**
   * Tell the page around the table that a round has begun or ended.
   * @param {"round-started" | "round-ended"} name
   * @param {string} roundId
   * @param {Record<string, bigint>} amounts
   */
  tellRound(name, roundId, amounts) {
    const texts = Object.entries(amounts).map(([member, units]) => [member, this.currency.formatPlain(units)]);
    sendSignal(name, { round_id: roundId, ...Object.fromEntries(texts) });
  }

  focusDeal() {
    this.#deal.focus({ preventScroll: true });
  }

  /** Focus the button that places the last bets again, if there are any. */
  focusRebet() {
    if (this.#lastBets.length) this.#rebet.focus({ preventScroll: true });
  }

  /**
   * Show that the server refused a bet or a move.
   * @param {string} message  the server's words
   * @param {{ isLoggedOut?: boolean }} [options]
   */
  showRefusal(message, { isLoggedOut = false } = {}) {
    sendSignal("refused", { message: formatRefusal(message) });
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
   * Clear a finished round from the felt. Without one, Escape removes the chips.
   * @param {{ isOnFelt: boolean }} where
   */
  #dismiss({ isOnFelt }) {
    if (!this.isIdle) return;
    if (this.hasResult) this.clearResult();
    else if (!isOnFelt) this.board.place([]);
  }
}

/**
 * Open the table of the page. A page of a game without an offer has none.
 * @param {new (root: HTMLElement, data: any) => { open(): void }} Kind
 */
export function openTable(Kind) {
  const root = document.getElementById("table");
  if (root) new Kind(root, readPageData("table-data")).open();
}
