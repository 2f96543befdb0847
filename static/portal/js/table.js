// @ts-check
/**
 * The table for one player, of every game: chips on spots, limits, repeated bets, busy and idle, keys, refusals, and
 * following the player. A game extends it. Live tables are in static/tables/js/live-table.js.
 *
 * A table uses only its own element and its own data, so a page may have several tables. The server decides about cards
 * and money.
 */

import { Announcer } from "./announcer.js";
import { BetBoard } from "./bet-board.js";
import { BetMemory } from "./bet-memory.js";
import { BET_KEYS, BetTools } from "./bet-tools.js";
import { ChipFlights } from "./chip-flights.js";
import { ChipTray } from "./chips.js";
import { ClosedNotice } from "./closed-notice.js";
import { Currency } from "./currency.js";
import { findButton, findElement, findPart, readPageData } from "./dom.js";
import { noteSent } from "./double-press.js";
import { Funds } from "./funds.js";
import { groupThousands } from "./money.js";
import { startAnimations } from "./motion.js";
import { PlayerIdentity } from "./player-identity.js";
import { isLeftByPlayer, watch } from "./player-watch.js";
import { describeRefusal } from "./refusals.js";
import { sendSignal } from "./signals.js";
import { listenForSkips } from "./skip.js";
import { connectSpace } from "./switches.js";
import { connectSettings } from "./table-settings.js";
import { tell } from "./words.js";

/**
 * The data of a table's page, and of later states; amounts as plain texts.
 * @typedef {object} TableData
 * @property {string} currency
 * @property {number} decimals
 * @property {string} balance
 * @property {string} betMin
 * @property {string} betMax
 * @property {string} player  whose page it is; empty for a visitor
 * @property {string} token  of a launch link; empty with a log-in
 * @property {boolean} isVisitor  whether the player has no account yet, not even a guest's
 * @property {boolean} isOpen  whether the partner offers the game in this currency
 * @property {boolean} isOff  whether new bets are switched off
 * @property {string} [seedUrl]  takes the first client seed; empty if a seed is chosen already
 */

/** @template {TableData} Data */
export class Table {
  #memory;
  #tools;
  #deal;
  #rebet;
  #limits;
  #closed;
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
    this.funds = new Funds(this.currency, data.balance);
    this.announcer = new Announcer(root);
    this.#closed = new ClosedNotice(this.announcer);
    this.identity = PlayerIdentity.read(root, data);
    this.#deal = findButton(root, "deal");
    this.#rebet = findButton(root, "rebet");
    this.#limits = findPart(root, "limits");
    this.tray = this.#createTray();
    this.flights = new ChipFlights(root, { tray: this.tray, currency: this.currency, house: root.querySelector(".felt-head") });
    this.board = this.#createBoard();
    this.#memory = new BetMemory(root.dataset.game ?? "", this.currency, this.identity);
    this.#tools = new BetTools(root, {
      board: this.board,
      memory: this.#memory,
      findFunds: () => this.funds.units,
      onBeforeChange: () => this.prepareSpots(),
      onSaved: (text) => this.announcer.say(text),
    });
    this.#listen();
    this.#closed.show(data);
    if (isLeftByPlayer()) this.announcer.showProblem(describeRefusal("AUTHENTICATION_FAILED"), this.identity.createLoginLink());
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

  /** Whether an undealt bet may be changed now. */
  get canChangeBets() {
    return this.canBet;
  }

  /**
   * Show the server's current state: limits, terms, rounds of another window.
   * @param {Data} state
   */
  follow(state) {
    this.showLimits(state);
  }

  /**
   * Perform the action of a key between rounds. A round has keys of its own.
   * @param {string} key  in lower case
   */
  pressKey(key) {
    const part = BET_KEYS.get(key);
    const button = part && findButton(this.root, part);
    if (button && button.checkVisibility() && this.isIdle) button.click();
  }

  // shared by games

  /** Disable all buttons, and do not show the server's state, until the table is idle again. */
  setBusy() {
    startAnimations();
    noteSent();
    this.watch.hold();
    this.isBusy = true;
    this.board.setLocked(true);
  }

  showButtons() {
    const { total } = this.board;
    this.#deal.disabled = !this.#canDeal || !total;
    this.#rebet.disabled = !this.#canDeal || !this.#memory.last.size;
    this.#tools.show(this.canChangeBets);
    this.tray.show(this.funds.units);
  }

  /**
   * Show the server's balance, given as plain text.
   * @param {string} text
   */
  showBalance(text) {
    this.funds.show(text);
    this.showButtons();
  }

  /**
   * Show the balance without a stake that was just sent.
   * @param {bigint} units
   */
  showSpent(units) {
    this.funds.showSpent(units);
    this.showButtons();
  }

  /** @param {TableData} terms */
  showLimits({ betMin, betMax }) {
    this.data = { ...this.data, betMin, betMax };
    this.tray.fit(this.currency.parse(betMin), this.currency.parse(betMax));
    const limits = tell("range", { least: groupThousands(betMin), most: groupThousands(betMax) });
    this.#limits.textContent = tell("limits-a-bet", { limits, currency: this.currency.code });
  }

  /**
   * Remember the stakes of the ended round, so that they can be placed again.
   * @param {Iterable<[spot: string, stake: bigint]>} stakes
   */
  rememberBets(stakes) {
    this.#memory.last = new Map([...stakes].filter(([, stake]) => stake));
  }

  /** Deal the placed bets, if they are within the limits and the balance. */
  deal() {
    if (!this.#canDeal || !this.board.total) return;
    const fault = this.board.describeFault();
    if (fault) this.announcer.showProblem(fault);
    else this.dealBets();
  }

  /**
   * Tell the page around the table that a round has begun or ended.
   * @param {"round-started" | "round-ended"} name
   * @param {string} roundId
   * @param {Record<string, bigint>} amounts  in the round's `currency`
   */
  tellRound(name, roundId, amounts, currency = this.currency) {
    const texts = Object.entries(amounts).map(([member, units]) => [member, currency.formatPlain(units)]);
    sendSignal(name, { round_id: roundId, currency: currency.code, ...Object.fromEntries(texts) });
  }

  /** Replace the bets on the spots by the last bets, and deal them. */
  repeatBets() {
    if (!this.#canDeal) return;
    this.prepareSpots();
    if (this.board.change(this.#memory.last)) this.deal();
  }

  /** Focus the button that deals the last bets again, if there are any. */
  focusRebet() {
    if (this.#memory.last.size) this.#rebet.focus({ preventScroll: true });
  }

  /**
   * Show that the server refused a bet or a move, and return its stake on the page, unless the outcome is unknown.
   * @param {{ code: string, isUnknown: boolean }} refusal
   * @param {{ isLoggedOut?: boolean }} [options]
   */
  showRefusal({ code, isUnknown }, { isLoggedOut = false } = {}) {
    if (!isUnknown) this.funds.showUnspent();
    const text = describeRefusal(isUnknown && !isLoggedOut ? "INTERNAL_ERROR" : code);
    sendSignal("refused", { code: isUnknown ? "INTERNAL_ERROR" : "REFUSED", message: text });
    this.announcer.showProblem(text, isLoggedOut ? this.identity.createLoginLink() : null);
  }

  get #canDeal() { return this.canBet && !this.#closed.isClosed; }

  #createTray() {
    return new ChipTray(findPart(this.root, "chips"), {
      minimum: this.currency.parse(this.data.betMin), maximum: this.currency.parse(this.data.betMax), currency: this.currency,
    });
  }

  #createBoard() {
    return new BetBoard(this.root, {
      tray: this.tray,
      currency: this.currency,
      flights: this.flights,
      findLimits: (spot) => this.#findLimits(spot),
      findFunds: () => this.funds.units,
      onChange: () => this.showButtons(),
      onBeforePlace: () => this.prepareSpots(),
      onProblem: (text) => this.announcer.showProblem(text),
    });
  }

  /**
   * Return the limits of a spot: its own, or else the table's.
   * @param {HTMLElement} spot
   */
  #findLimits({ dataset: { min, max } }) {
    return { minimum: this.currency.parse(min ?? this.data.betMin), maximum: this.currency.parse(max ?? this.data.betMax) };
  }

  #listen() {
    this.#deal.addEventListener("click", () => this.deal());
    this.#rebet.addEventListener("click", () => this.repeatBets());
    connectSettings(this.root, (key) => this.pressKey(key));
    connectSpace(() => this.deal());
    listenForSkips(this.root);
    this.watch.addEventListener("state", (event) => {
      if (!(event instanceof CustomEvent)) return;
      this.identity.setPlayer(event.detail.player);
      this.funds.take(event.detail.balance);
      this.follow(event.detail);
      this.#closed.show(event.detail);
      this.showButtons();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.defaultPrevented && !event.repeat) this.#dismiss({ isOnFelt: false });
    });
    findElement(this.root, ".felt", HTMLElement).addEventListener("click", ({ target }) => {
      if (target instanceof Element && !target.closest("button, a, input, details")) this.#dismiss({ isOnFelt: true });
    });
  }

  /**
   * Clear a finished round from the felt. Without one, Escape removes the chips.
   * @param {{ isOnFelt: boolean }} where
   */
  #dismiss({ isOnFelt }) {
    if (!this.isIdle) return;
    if (this.hasResult) this.clearResult();
    else if (!isOnFelt) this.board.clear();
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
