// @ts-check
/** The blackjack table: bets, questions and display. The server has the rules, cards and money. */

import { connectHints } from "./hints.js";
import { Moves } from "./moves.js";
import { listSpotPayouts, sumUpRound } from "./outcome.js";
import { applyUpdate, isSameRound, listDealerSteps, readRound } from "./round.js";
import { RoundCurrency } from "./round-currency.js";
import { DEALER_PAUSE_MS, RoundView } from "./round-view.js";
import { readSideLimits, showSideLimits } from "./side-limits.js";
import { findPart } from "/static/portal/js/dom.js";
import { pauseForEye, wait } from "/static/portal/js/motion.js";
import { sendSignal } from "/static/portal/js/signals.js";
import { SocketTable } from "/static/portal/js/socket-table.js";
import { sumStakes } from "/static/portal/js/stakes.js";
import { openTable } from "/static/portal/js/table.js";
import { tell } from "/static/portal/js/words.js";

/**
 * @typedef {import("./round.js").Bets} Bets
 * @typedef {import("./round.js").Round} Round
 * @typedef {import("./round.js").WireRound} WireRound
 * @typedef {import("/static/portal/js/game-socket.js").Answer} Answer
 * @typedef {import("/static/portal/js/game-socket.js").RefusedAction} RefusedAction
 * @typedef {import("/static/portal/js/socket-table.js").SocketTableData} SocketTableData
 *
 * @typedef {{ dealer_peek: boolean, insurance: string, decks: number, simple: boolean }} Rules
 *
 * @typedef {object} BlackjackState
 * @property {WireRound | { roundId: string, isVoid: true } | null} round  the open round, else the last one, for a while
 * @property {Rules} rules
 *
 * @typedef {SocketTableData & BlackjackState & import("./side-limits.js").SideLimits} BlackjackData
 */

const DEALER_LEFT_MS = 4000; // after this time the window that played the dealer's cards counts as closed
/** The spots, each with the name of its bet on the wire. */
const WIRE_BETS = { main: "betAmount", perfectPairs: "perfecPairsBetAmount", poker: "pokerBetAmount" };

/** @extends {SocketTable<BlackjackData>} */
class BlackjackTable extends SocketTable {
  #view;
  #moves;
  #roundCurrency = new RoundCurrency(this.currency);
  /** @type {Round | null} */
  #round = null;
  #clearedId = "";
  /** Whether the round's last change came from this window, which then plays the dealer's cards. */
  #isOwn = true;
  /** Whether the server has answered an action of this window whose result must still be read. */
  #isAnswered = false;

  /**
   * @param {HTMLElement} root
   * @param {BlackjackData} data
   */
  constructor(root, data) {
    super(root, data);
    this.#view = new RoundView(root, {
      announcer: this.announcer, currency: this.#roundCurrency, hasHole: data.rules.dealer_peek,
    });
    this.#moves = new Moves(root, {
      currency: this.#roundCurrency,
      findRules: () => this.data.rules,
      onMove: (action, members, cost) => this.#send(action, members, cost),
      onProblem: (text) => this.announcer.showProblem(text),
    });
  }

  async open() {
    this.board.show();
    this.announcer.invite();
    connectHints(this.root);
    this.#followRound(this.data.round, { isLoaded: true });
    if (this.isPending) this.setBusy(); // the action is sent again, and then the round is read again
    await this.identity.proposeClientSeed();
    this.connect();
  }

  /** @override */
  get preferences() { return { dealerPace: "round" }; }

  // legal actions

  get #isRoundOpen() { return Boolean(this.#round && !this.#round.ended); }

  /** @override */
  get isIdle() { return !this.isBusy && !this.#isRoundOpen; }

  /** @override */
  get hasResult() { return Boolean(this.#round); }

  /**
   * @override
   * @param {{ hasFocus?: boolean }} [options]
   */
  showMoves({ hasFocus = false } = {}) {
    findPart(this.root, "betting").hidden = this.#isRoundOpen;
    findPart(this.root, "acting").hidden = !this.#isRoundOpen;
    const isAsked = this.#isRoundOpen && !this.isBusy && this.#round?.owner === "Player";
    this.#moves.show(isAsked ? this.#round : null, { isUp: this.isConnected, hasFocus });
    this.showButtons();
  }

  // bets

  /** @override */
  dealBets() {
    const { stakes } = this.board;
    if (!stakes.has("main") && this.currency.parse(this.data.betMin) > 0n) {
      this.announcer.showProblem(tell("main-bet-first"));
      return;
    }
    this.clearResult();
    const bets = Object.entries(WIRE_BETS).filter(([spot]) => stakes.has(spot));
    this.announcer.showVerdict(tell("no-more-bets"));
    this.#roundCurrency.take({});
    this.#send("Bet", Object.fromEntries(bets.map(([spot, name]) => [name, this.currency.formatPlain(stakes.get(spot) ?? 0n)])), this.board.total);
  }

  /**
   * @override
   * @param {string} key
   */
  pressKey(key) {
    super.pressKey(key);
    this.#moves.press(key);
  }

  /**
   * @param {string} action
   * @param {Record<string, unknown>} data
   * @param {bigint} cost
   */
  #send(action, data, cost) {
    if (this.#roundCurrency.isOfTable) this.showSpent(cost);
    this.#isOwn = true;
    this.#view.showPhase("round");
    this.act(action, data);
  }

  // answers

  /**
   * @override
   * @param {Answer} answer
   */
  async takeAnswer({ message, data, isRepeat }) {
    const isBet = message.action === "Bet";
    if (isBet) this.board.place([]);
    if (isBet) this.tellRound("round-started", message.roundId, { stake: sumStakes(parseBets(readBets(data), this.currency)) });
    if (isRepeat || (!isBet && this.#round?.roundId !== message.roundId)) {
      this.#isAnswered = true;
      this.setReady();
      return;
    }
    if (this.#round && data.acceptedInsurance) this.#round.insuranceStake = this.#moves.findInsuranceStake(this.#round, data);
    const round = applyUpdate(this.#round, /** @type {WireRound} */ (message), readBets(data));
    for (const step of listDealerSteps(isBet ? null : this.#round, round)) {
      this.#round = step;
      this.setShowing();
      await this.#view.showDealerStep(step);
      if (this.#round !== step) return;
    }
    this.#round = round;
    await this.#showRound(round);
  }

  /**
   * @override
   * @param {RefusedAction} refusal
   */
  takeRefusal(refusal) {
    const { code, action, isUnknown } = refusal;
    if (code !== "GAME_ROUND_NOT_FOUND") this.showRefusal(refusal); // the ended round is shown instead
    if (action === "Bet") this.announcer.showVerdict(tell(isUnknown ? "bet-unknown" : "nothing-was-bet"));
    if (!this.#round) this.#view.showPhase("betting");
  }

  /**
   * @override
   * @param {Record<string, any>} config
   */
  takeConfig({ minBet, maxBet, rules, customProps }) {
    this.#takeTerms({ ...this.data, ...readSideLimits(customProps, rules), betMin: minBet, betMax: maxBet, rules });
  }

  /** @param {BlackjackData} terms */
  #takeTerms(terms) {
    this.data = { ...this.data, rules: terms.rules ?? this.data.rules };
    this.showLimits(terms);
    showSideLimits(this.root, terms);
  }

  /**
   * @override
   * @param {BlackjackData} state
   */
  follow(state) {
    if (state.isOpen) this.#takeTerms(state);
    this.#followRound(state.round);
  }

  /**
   * Show the server's state of the round, which may be played in another window; `isLoaded`: the page's data has it.
   * @param {BlackjackData["round"]} message
   * @param {{ isLoaded?: boolean }} [options]
   */
  #followRound(message, { isLoaded = false } = {}) {
    if (!message || "isVoid" in message) {
      if (this.#isRoundOpen) this.#loseRound(message?.roundId === this.#round?.roundId);
      return;
    }
    const round = readRound(message);
    if (isSameRound(round, this.#round) || (round.ended && round.roundId === this.#clearedId)) return;
    this.#isOwn = isLoaded || this.#isAnswered;
    this.#isAnswered = false;
    this.announcer.clearProblem();
    this.#roundCurrency.take(message);
    this.#round = round;
    this.#showRound(round, { isInstant: isLoaded });
  }

  /** The displayed round is over: it was voided, or it ended long ago. @param {boolean} isVoid */
  #loseRound(isVoid) {
    this.clearResult();
    this.announcer.showVerdict(tell("round-over"), { note: tell(isVoid ? "round-void" : "round-elsewhere") });
    this.setReady();
  }

  // display

  /**
   * @param {Round} round
   * @param {{ isInstant?: boolean }} [options]
   */
  async #showRound(round, { isInstant = false } = {}) {
    this.#view.showPhase("round");
    this.setShowing();
    this.board.showPlayed(listStakes(round, this.#roundCurrency));
    await this.#view.showCards(round, { isInstant });
    if (this.#round !== round) return; // a newer state arrived during the animation
    this.#view.showSideBets(round);
    if (round.ended) this.#showResult(round, { isLive: this.#isOwn && !isInstant });
    else if (round.owner === "Dealer") await this.#playDealer(round);
    else this.#askMove(round);
  }

  /** @param {Round} round  begun where each of the dealer's cards is an action */
  async #playDealer(round) {
    this.#view.sayDealerTotal(round);
    await (this.#isOwn ? pauseForEye(DEALER_PAUSE_MS) : wait(DEALER_LEFT_MS));
    if (this.#round === round && !this.isPending) this.#send("Hit", {}, 0n);
  }

  /** @param {Round} round */
  #askMove(round) {
    this.#view.showMove(round);
    sendSignal("round-changed", { round_id: round.roundId, isAsked: true, isOver: false });
    this.setReady({ hasFocus: this.#isOwn });
    this.#view.sayMove(round, this.#moves.words);
  }

  /**
   * Show the result of a finished round; `isLive`: this window has just played it.
   * @param {Round} round
   * @param {{ isLive: boolean }} options
   */
  #showResult(round, { isLive }) {
    if (this.#roundCurrency.isOfTable && isLive && round.balance !== null) this.showBalance(round.balance);
    if (this.#roundCurrency.isOfTable) this.rememberBets(parseBets(round.bets, this.currency));
    this.#view.showResult(round, { isLive });
    sendSignal("round-changed", { round_id: round.roundId, isAsked: false, isOver: true });
    this.setReady();
    if (!isLive) return;
    const { staked, back } = sumUpRound(round, this.#roundCurrency);
    if (this.#roundCurrency.isOfTable) this.flights.showPayouts(listSpotPayouts(round, this.currency));
    this.tellRound("round-ended", round.roundId, { stake: staked, payout: back }, this.#roundCurrency);
    this.focusRebet();
  }

  /** @override */
  clearResult() {
    if (!this.#round) return;
    this.#clearedId = this.#round.roundId;
    this.#round = null;
    this.board.showPlayed([]);
    this.#view.clear();
  }
}

/**
 * Return the stakes that lie on the spots during a round, with all that its moves have added. Chips are of the table's
 * currency, so there are none for a round in another one.
 * @param {Round} round
 * @param {RoundCurrency} currency
 * @returns {[spot: string, units: bigint][]}
 */
function listStakes({ bets, hands, insuranceStake }, currency) {
  if (!currency.isOfTable) return [];
  const onHands = hands.reduce((sum, { stake }) => sum + currency.parse(stake), 0n);
  const { perfectPairs, poker } = bets;
  return [
    ["main", onHands], ["perfectPairs", currency.parse(perfectPairs)], ["poker", currency.parse(poker)],
    ["insurance", currency.parse(insuranceStake)],
  ];
}

/**
 * Return the bets in the data of a Bet.
 * @param {Record<string, string>} data
 * @returns {Bets}
 */
function readBets(data) {
  const { main, perfectPairs, poker } = WIRE_BETS;
  return { main: data[main] ?? "0", perfectPairs: data[perfectPairs] ?? "0", poker: data[poker] ?? "0" };
}

/**
 * @param {Bets} bets
 * @param {import("/static/portal/js/currency.js").Currency} currency
 * @returns {import("/static/portal/js/stakes.js").Stakes}
 */
function parseBets(bets, currency) {
  return new Map(Object.entries(bets).map(([spot, stake]) => [spot, currency.parse(stake)]));
}

openTable(BlackjackTable);
