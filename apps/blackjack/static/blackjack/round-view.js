// @ts-check
/** Shows a round at the table: its cards, the player's turn, the result. */

import { Felt } from "./felt.js";
import { describeSideBets, sumUpRound, titleGain, titleOutcome } from "./outcome.js";
import { describeHand, describeTotal } from "./totals.js";
import { chooseTone } from "/static/portal/js/announcer.js";
import { nameCard } from "/static/portal/js/cards.js";
import { createElement, findPart } from "/static/portal/js/dom.js";
import { pauseForEye } from "/static/portal/js/motion.js";
import { playCardSound } from "/static/portal/js/sound.js";
import { listTexts, tell } from "/static/portal/js/words.js";

/**
 * @typedef {import("./round.js").Round} Round
 * @typedef {import("/static/portal/js/announcer.js").Announcer} Announcer
 * @typedef {import("/static/portal/js/currency.js").Currency} Currency
 */

export const DEALER_PAUSE_MS = 600;

export class RoundView {
  #root;
  #announcer;
  #currency;
  #felt;
  #sideResults;

  /**
   * @param {HTMLElement} root  the table
   * @param {{ announcer: Announcer, currency: Currency, hasHole: boolean }} options
   */
  constructor(root, { announcer, currency, hasHole }) {
    this.#root = root;
    this.#announcer = announcer;
    this.#currency = currency;
    this.#felt = new Felt(root, { currency, hasHole });
    this.#sideResults = findPart(root, "side-results");
  }

  /**
   * Show spots to place chips on, cards, or both after a round.
   * @param {"betting" | "round" | "result"} phase
   */
  showPhase(phase) {
    this.#root.dataset.phase = phase;
  }

  /**
   * Show the cards, and resolve at the end of their animation.
   * @param {Round} round
   * @param {{ isInstant: boolean }} options
   */
  async showCards(round, { isInstant }) {
    if (!round.ended && round.owner === "Dealer") this.#announcer.showVerdict(tell("dealer-plays"));
    if (!isInstant) playCardSound();
    await pauseForEye(this.#felt.show(round, { isInstant }));
  }

  /**
   * Show the felt before one of the dealer's cards, and resolve after a pause like a dealer's.
   * @param {Round} step
   */
  async showDealerStep(step) {
    await this.showCards(step, { isInstant: false });
    this.sayDealerTotal(step);
    await pauseForEye(DEALER_PAUSE_MS);
  }

  /** @param {Round} round */
  showSideBets(round) {
    const tags = describeSideBets(round, this.#currency).map(({ text, isWon }) =>
      createElement("span", `tag ${isWon ? "win" : "loss"}`, text));
    this.#sideResults.replaceChildren(...tags);
  }

  /** @param {Round} round */
  sayDealerTotal(round) {
    this.#announcer.say(tell("dealer-has", { total: describeHand({ cards: round.dealer }, tell) }));
  }

  /** @param {Round} round */
  showMove({ hands, handIndex }) {
    this.#announcer.showVerdict(hands.length > 1 ? tell("move-on-hand", { number: String(handIndex + 1) }) : tell("move-yours"));
  }

  /**
   * Announce the player's cards and legal moves.
   * @param {Round} round
   * @param {string} question
   */
  sayMove({ hands, handIndex, dealer }, question) {
    const { cards } = hands[handIndex];
    const hand = hands.length > 1 ? tell("hand-number", { number: String(handIndex + 1) }) : tell("hand-you");
    const held = tell("hand-held", { hand, cards: listTexts(cards.map(nameCard)), total: describeTotal(cards, tell) });
    this.#announcer.say(`${held} ${tell("dealer-shows", { cards: listTexts(dealer.map(nameCard)) })} ${question}`);
  }

  /**
   * @param {Round} round
   * @param {{ isLive: boolean }} options  `isLive`: this window has just played it
   */
  showResult(round, { isLive }) {
    const outcome = sumUpRound(round, this.#currency);
    const { staked, back, lines } = outcome;
    const title = titleOutcome(round, outcome, this.#currency);
    const all = { back: this.#currency.formatWithCode(back), stake: this.#currency.formatWithCode(staked) };
    const note = [...lines, ...(lines.length > 1 ? [tell("bets-in-all", all)] : [])].join(" ");
    const write = (/** @type {bigint} */ units) => titleGain(round, units, this.#currency);
    const gain = isLive && back > staked ? { units: back - staked, write } : null;
    this.#announcer.showVerdict(title, { tone: chooseTone(staked, back), note, gain });
    this.#announcer.say(`${tell("dealer-has", { total: describeHand({ cards: round.dealer }, tell) })} ${title} ${note}`);
    this.showPhase("result");
  }

  /** Clear the round from the felt. */
  clear() {
    this.#felt.clear();
    this.#sideResults.replaceChildren();
    this.showPhase("betting");
    this.#announcer.invite();
    this.#announcer.clearProblem();
  }
}
