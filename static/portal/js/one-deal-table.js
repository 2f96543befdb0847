// @ts-check
/**
 * A table where one request places bets, deals and settles: cards go to sides, and spots win or lose. A game defines
 * the dealing order, the score of a side, and the text of a result.
 */

import { chooseTone } from "./announcer.js";
import { BetSender } from "./bet-sender.js";
import { DealtSides } from "./dealt-sides.js";
import { findButton, findElement } from "./dom.js";
import { groupThousands } from "./money.js";
import { Refusal } from "./refusals.js";
import { isSqueezeOn, setSqueezeOn } from "./squeeze.js";
import { connectSwitch } from "./switches.js";
import { Table } from "./table.js";
import { tell } from "./words.js";

/**
 * @typedef {"won" | "lost" | "drawn"} BetResult
 *
 * @typedef {object} AnsweredBet
 * @property {number | string} game_type  the name of the bet's spot
 * @property {number | string} result_type
 * @property {string} bet_amount
 * @property {string} reward_amount  the stake included
 *
 * The answer to a bet; beside these members it has each side's cards as codes, under the side's name.
 * @typedef {{ round_id: string, balance: string, bets: AnsweredBet[] } & Record<string, any>} DealAnswer
 *
 * @typedef {import("./dealt-sides.js").Deal} Deal
 *
 * @typedef {object} OneDealState
 * @property {string} limits  empty if the game is not offered any more
 * @property {{ gameType: number, odds: string }[]} bets
 * @property {Deal[]} road  the last deals, the oldest first
 * @property {DealAnswer | null} last  the last deal, for a while
 *
 * @typedef {import("./table.js").TableData & OneDealState} OneDealData
 *
 * @typedef {object} SettledBet
 * @property {string} spot
 * @property {BetResult} result
 * @property {bigint} stake
 * @property {bigint} reward
 *
 * @typedef {object} DealWords
 * @property {string} title  how the round ended, as a sentence
 * @property {string} winner  the name of the side that won; empty for none
 */

const RECENT_DEALS = 72;
/** @type {Record<string, BetResult>} */
const RESULTS = { 1: "won", 2: "lost", 3: "drawn" };

/** @extends {Table<OneDealData>} */
export class OneDealTable extends Table {
  #sender;
  #deals;
  #sides;
  /** @type {SettledBet[]} */
  #settled = [];
  #hasResult = false;
  /** The last deal, which may have been cleared from the felt. */
  #shownId = "";

  /**
   * @param {HTMLElement} root
   * @param {OneDealData} data
   */
  constructor(root, data) {
    super(root, data);
    this.#deals = data.road;
    this.#sides = new DealtSides(root, { order: this.dealOrder, score: (cards) => this.score(cards) });
    connectSwitch(findButton(root, "squeeze"), isSqueezeOn, setSqueezeOn);
    this.#sender = new BetSender({
      url: root.dataset.betUrl ?? "", identity: this.identity, onRetry: (status) => this.#showRetry(status),
    });
  }

  // defined by a game

  /**
   * The sides by name in the order in which they get cards, with the index of each card in its side.
   * @returns {[side: string, index: number][]}
   */
  get dealOrder() {
    throw new Error("A game must define its dealing order.");
  }

  /**
   * Return the text beside a side's cards.
   * @param {string[]} _cards
   * @returns {number | string}
   */
  score(_cards) {
    throw new Error("A game must define its scores.");
  }

  /**
   * Return the text of a round's result.
   * @param {Deal} _deal
   * @returns {DealWords}
   */
  describeDeal(_deal) {
    throw new Error("A game must define the text of its results.");
  }

  /**
   * Show the last deals, the oldest first.
   * @param {Deal[]} _deals
   */
  showDeals(_deals) {}

  // from bet to result

  async open() {
    this.showDeals(this.#deals);
    this.board.show();
    const { unanswered } = this.#sender;
    if (unanswered) this.watch.hold(); // its answer is shown as a deal
    else this.#showLast(this.data.last);
    await this.identity.proposeClientSeed();
    if (unanswered) this.#play(tell("last-bet-sought"), () => this.#sender.sendAgain(unanswered));
  }

  /** @override */
  dealBets() {
    this.showSpent(this.board.total);
    this.#play(tell("no-more-bets"), () => this.#sender.send(this.#writeBody()));
  }

  /** @override */
  get hasResult() {
    return this.#hasResult;
  }

  /** @override */
  prepareSpots() {
    this.clearResult();
  }

  /** @override */
  clearResult() {
    if (!this.#hasResult) return;
    this.#hasResult = false;
    for (const spot of this.board.spots) {
      spot.classList.remove("won", "lost", "drawn");
      findElement(spot, ".spot-result", HTMLElement).textContent = "";
    }
    this.board.showPlayed([]);
    this.#sides.clear();
    this.announcer.clearProblem();
    this.announcer.invite();
  }

  /**
   * Show the server's limits, odds and last rounds, and a deal of another window unless there are chips on the felt.
   * @override
   * @param {OneDealData} state
   */
  follow(state) {
    if (state.limits) this.showLimits(state);
    for (const { gameType, odds } of state.bets) {
      const spot = this.board.findSpot(String(gameType));
      if (spot) findElement(spot, ".spot-odds", HTMLElement).textContent = tell("odds", { odds: groupThousands(odds) });
    }
    if (JSON.stringify(state.road) !== JSON.stringify(this.#deals)) {
      this.#deals = state.road;
      this.showDeals(this.#deals);
    }
    if (this.isIdle && !this.board.total) this.#showLast(state.last);
  }

  /** The bets as JSON with exact numbers, without floats. */
  #writeBody() {
    const bets = Array.from(
      this.board.stakes,
      ([spot, units]) => `{"game_type":${spot},"bet_amount":${this.currency.formatPlain(units)}}`,
    );
    return `{"currency":${JSON.stringify(this.currency.code)},"bets":[${bets.join(",")}]}`;
  }

  /**
   * @param {string} words  shown until the answer is here
   * @param {() => Promise<DealAnswer>} send
   */
  async #play(words, send) {
    this.setBusy();
    this.announcer.clearProblem();
    this.announcer.showVerdict(words);
    try {
      const answer = await send();
      this.tellRound("round-started", answer.round_id, { stake: sumBets(answer, this.currency) });
      await this.#dealCards(answer);
      this.board.place([]);
      this.showBalance(answer.balance);
      this.#addDeal(answer);
      this.#showResult(answer, { isLive: true });
      this.flights.showPayouts(this.#settled.map(({ spot, stake, reward }) => ({ spot, stake, payout: reward })));
      const payout = this.#settled.reduce((sum, { reward }) => sum + reward, 0n);
      this.tellRound("round-ended", answer.round_id, { stake: sumBets(answer, this.currency), payout });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      await this.#showRefused(error);
    }
    this.isBusy = false;
    this.board.setLocked(false);
    this.#showSettledBets();
    this.watch.release();
    if (this.#hasResult) this.focusRebet();
  }

  /**
   * Show a refusal. If nobody knows whether the bet was placed, the table stays locked until the server's state shows
   * it, since a new try would be a second bet.
   * @param {Refusal} refusal
   */
  async #showRefused(refusal) {
    const isLoggedOut = refusal.status === 401;
    this.announcer.showVerdict(tell(refusal.isUnknown ? "bet-unknown" : "nothing-was-bet"));
    this.showRefusal(refusal, { isLoggedOut });
    if (!refusal.isUnknown || isLoggedOut) return;
    const { last } = await this.watch.readNext();
    if (!last || last.round_id === this.#shownId || last.round_id === this.data.last?.round_id) return;
    this.board.place([]);
    this.announcer.clearProblem();
    this.#showLast(last);
  }

  /** @param {DealAnswer} answer */
  #addDeal(answer) {
    const deal = Object.fromEntries(this.#sides.names.map((name) => [name, answer[name]]));
    this.#deals = [...this.#deals, deal].slice(-RECENT_DEALS);
    this.showDeals(this.#deals);
  }

  // display of a deal

  /**
   * Show the last deal without an animation: the page was loaded during it, or another window played it.
   * @param {DealAnswer | null} answer
   */
  #showLast(answer) {
    if (!answer || answer.round_id === this.#shownId) return;
    this.clearResult();
    this.#hasResult = true;
    this.#sides.layOut(answer);
    this.#showResult(answer);
    this.#showSettledBets();
  }

  /** @param {DealAnswer} answer */
  async #dealCards(answer) {
    this.clearResult();
    this.#hasResult = true;
    await this.#sides.deal(answer);
  }

  /**
   * @param {DealAnswer} answer
   * @param {{ isLive?: boolean }} [options]  `isLive`: this window has just played it
   */
  #showResult(answer, { isLive = false } = {}) {
    this.#shownId = answer.round_id;
    const { title: ending, winner } = this.describeDeal(answer);
    this.#sides.markWinner(winner);
    this.#settled = answer.bets.map((bet) => this.#readBet(bet));
    this.rememberBets(this.#settled.map(({ spot, stake }) => [spot, stake]));
    const staked = this.#settled.reduce((sum, { stake }) => sum + stake, 0n);
    const back = this.#settled.reduce((sum, { reward }) => sum + reward, 0n);
    this.board.showPlayed(this.#settled.map(({ spot, stake }) => [spot, stake]));
    const title = `${ending} ${describeNet(this.currency, staked, back)}`;
    const note = tell("staked-and-back", { staked: this.currency.formatWithCode(staked), back: this.currency.formatWithCode(back) });
    const gain = isLive && back > staked ? { units: back - staked, write: (/** @type {bigint} */ units) => `${ending} ${describeNet(this.currency, 0n, units)}` } : null;
    this.announcer.showVerdict(title, { tone: chooseTone(staked, back), note, gain });
    this.announcer.say(`${this.#sides.describe(answer)} ${title} ${note}`);
  }

  /**
   * @param {AnsweredBet} bet
   * @returns {SettledBet}
   */
  #readBet({ game_type: spot, result_type: result, bet_amount: stake, reward_amount: reward }) {
    return {
      spot: String(spot), result: RESULTS[result], stake: this.currency.parse(stake), reward: this.currency.parse(reward),
    };
  }

  #showSettledBets() {
    for (const { spot: name, result, stake, reward } of this.#hasResult ? this.#settled : []) {
      const spot = this.board.findSpot(name);
      if (!spot) continue;
      spot.classList.add(result);
      const drawn = reward === stake ? tell("spot-push") : tell("spot-back", { amount: this.currency.format(reward) });
      const words = { won: `+${this.currency.format(reward - stake)}`, lost: tell("spot-lost"), drawn };
      findElement(spot, ".spot-result", HTMLElement).textContent = words[result];
    }
  }

  /** @param {number} status  0 where there was no answer */
  #showRetry(status) {
    this.announcer.showVerdict(tell(status ? "busy-retry" : "lost-retry"), { note: tell("placed-once") });
  }
}

/**
 * @param {DealAnswer} answer
 * @param {import("./currency.js").Currency} currency
 */
function sumBets({ bets }, currency) {
  return bets.reduce((sum, { bet_amount: stake }) => sum + currency.parse(stake), 0n);
}

/**
 * @param {import("./currency.js").Currency} currency
 * @param {bigint} staked
 * @param {bigint} back
 */
function describeNet(currency, staked, back) {
  if (back > staked || !staked) return tell("net-won", { amount: currency.formatWithCode(back - staked) });
  return back < staked ? tell("net-lost", { amount: currency.formatWithCode(staked - back) }) : tell("net-even");
}
