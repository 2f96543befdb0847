// @ts-check
/** Blackjack's live table: the dealer's cards, and the hands of each seat. */

import { describeTenChance, ENDLESS_DECKS } from "./chance.js";
import { describeHand, describeTotal } from "./totals.js";
import { nameCard } from "/static/portal/js/cards.js";
import { createElement, findElement, findPart } from "/static/portal/js/dom.js";
import { listTexts, tell } from "/static/portal/js/words.js";
import { showCards } from "/static/tables/js/card-rows.js";
import { SeatBets } from "/static/tables/js/seat-bets.js";
import { writeCardCode } from "/static/tables/js/wire.js";

/**
 * @typedef {import("/static/tables/js/action-panel.js").ActionName} ActionName
 * @typedef {import("/static/tables/js/bets.js").Action} Action
 * @typedef {import("/static/tables/js/game-view.js").GameView} GameView
 * @typedef {import("/static/tables/js/game-view.js").Json} Json
 * @typedef {import("/static/tables/js/game-view.js").ViewContext} ViewContext
 */

const STEP_MS = 300;
const SEAT_MS = 70;
const LAST_MS = 460;
/** @type {Record<string, string>} */
const ODDS = { perfectPairs: "live-odds-perfectPairs", poker: "live-odds-poker" };
/** @type {Record<string, { words: string, key: string }>} */
const ACTIONS = {
  hit: { words: "move-Hit", key: "h" },
  stand: { words: "move-Stand", key: "s" },
  double_down: { words: "move-Double", key: "d" },
  split: { words: "move-Split", key: "p" },
  surrender: { words: "move-Surrender", key: "r" },
  insurance: { words: "bet-insurance", key: "y" },
};
/** The result of an unfinished hand on the wire. */
const UNFINISHED = new Set(["Open", "Stood", "Natural"]);

/** @implements {GameView} */
export class BlackjackView {
  #table;
  #bets;
  #currency;
  #room;
  #dealer;
  #total;
  #seatBets;

  /** @param {ViewContext} context */
  constructor({ table, bets, currency, room }) {
    this.#table = table;
    this.#bets = bets;
    this.betOrder = Object.keys(bets);
    this.#currency = currency;
    this.#room = room;
    this.#seatBets = new SeatBets(room, currency);
    const house = findPart(table, "house");
    this.#dealer = createElement("div", "live-hand");
    this.#total = createElement("span", "live-total");
    const title = createElement("h3", "", tell("hand-dealer"));
    title.append(" ", this.#total);
    const rule = createElement("p", "house-rule", describeRules(room.rules ?? {}));
    house.className = "live-house live-dealer";
    house.replaceChildren(title, this.#dealer, rule);
  }

  /** @param {string} name */
  nameBet(name) {
    return name === "main" ? tell("live-your-bet") : (this.#bets[name] ?? name);
  }

  /** @param {string} name */
  describeOdds(name) {
    return ODDS[name] ? tell(ODDS[name]) : tell("live-pays", { odds: describePair(this.#room.rules?.blackjackPays) });
  }

  /**
   * @param {Action} action
   * @param {Json} request
   */
  nameAction({ type, minAmount, maxAmount }, request) {
    if (type === "stand" && isQuestion(request)) return { label: tell(hasInsurance(request) ? "insure-not" : "live-play-on"), key: "n" };
    const { words, key } = ACTIONS[type];
    const label = tell(words);
    if (minAmount === undefined || minAmount !== maxAmount) return { label, key };
    return { label: tell("move-cost", { move: label, amount: this.#currency.format(this.#currency.parse(minAmount)) }), key };
  }

  /**
   * @param {Json} request
   * @param {string[] | null} shoe
   */
  describeQuestion(request, shoe) {
    if (hasInsurance(request)) return describeInsuranceQuestion(request, this.#room.rules ?? {}, shoe);
    return isQuestion(request) ? tell("live-question-surrender") : "";
  }

  /**
   * @param {Json} state
   * @param {{ isInstant: boolean }} options
   */
  show({ dealer, seats }, { isInstant }) {
    const open = (dealer?.cards ?? []).map(writeCardCode);
    const hidden = Array.from({ length: Number(dealer?.faceDown ?? 0) }, () => "");
    const isFirst = this.#dealer.childElementCount === 0;
    const startMs = isFirst ? seats.length * SEAT_MS : 0;
    const news = showCards(this.#dealer, [...open, ...hidden], (turn) => startMs + turn * STEP_MS, isInstant);
    // A total is shown once its cards lie on the table.
    if (isInstant || !news) this.#total.textContent = open.length ? describeHand({ cards: open }, tell) : "";
    return news && !isInstant ? startMs + (news - 1) * STEP_MS + LAST_MS : 0;
  }

  /**
   * @param {HTMLElement} box
   * @param {Json} seat
   * @param {{ isOwn: boolean, isInstant: boolean }} options
   */
  showSeat(box, seat, { isInstant }) {
    const hands = seat.hands ?? [];
    if (box.dataset.view !== "blackjack") {
      box.dataset.view = "blackjack";
      box.replaceChildren(createElement("div", "seat-hands"), createElement("p", "seat-stakes"));
    }
    const row = findElement(box, ".seat-hands", HTMLElement);
    while (row.childElementCount > hands.length) row.lastElementChild?.remove();
    while (row.childElementCount < hands.length) row.append(createHand());
    hands.forEach((/** @type {Json} */ hand, /** @type {number} */ index) => {
      const item = row.children[index];
      if (!(item instanceof HTMLElement)) return;
      this.#showHand(item, hand, (turn) => (Number(seat.seat) - 1) * SEAT_MS + turn * STEP_MS, isInstant);
      item.classList.toggle("playing", seat.handIndex !== undefined && seat.handIndex !== null && Number(seat.handIndex) === index && hands.length > 1);
    });
    const isSum = !hands.length;
    if (isInstant || isSum) this.#seatBets.show(findElement(box, ".seat-stakes", HTMLElement), this.#listBets(seat), { isSum });
  }

  /**
   * @param {Json} state
   * @param {Json | null} seat
   */
  describeCards({ dealer }, seat) {
    if (!dealer) return "";
    const hands = (seat?.hands ?? []).map((/** @type {Json} */ hand, /** @type {number} */ index, /** @type {Json[]} */ all) => {
      const codes = hand.cards.map(writeCardCode);
      const name = all.length > 1 ? tell("hand-number", { number: String(index + 1) }) : tell("hand-you");
      return tell("hand-held", { hand: name, cards: listTexts(codes.map(nameCard)), total: describeTotal(codes, tell) });
    });
    return [...hands, tell("side-cards", { side: tell("hand-dealer"), cards: listTexts(dealer.cards.map(writeCardCode).map(nameCard)) })].join(" ");
  }

  /** @param {Json} state */
  describeResult({ dealer, results }) {
    if (!results?.length || !dealer) return "";
    const codes = dealer.cards.map(writeCardCode);
    const total = describeHand({ cards: codes }, tell);
    return tell(Number(dealer.value) > 21 ? "live-dealer-bust" : "live-dealer-has", { total });
  }

  /** @param {Json} state */
  showHistory({ previousResults = [] }) {
    const list = createElement("ol", "dealer-totals");
    for (const { roundNumber, dealer } of previousResults.slice(-12)) {
      const value = Number(dealer.value);
      const item = createElement("li", value > 21 ? "bust" : "", value > 21 ? tell("live-bust") : String(value));
      item.title = tell("round-title", { number: String(roundNumber), text: listTexts(dealer.cards.map(writeCardCode).map(nameCard)) });
      list.append(item);
    }
    const words = tell(previousResults.length ? "live-shoe-totals" : "shoe-no-rounds");
    findPart(this.#table, "history").replaceChildren(list, createElement("p", "dim", words));
  }

  /**
   * @param {import("/static/tables/js/game-view.js").AdviceOptions} options
   * @returns {Promise<import("/static/tables/js/game-view.js").AdvicePanel>}
   */
  async loadAdvice(options) {
    const { AdvicePanel } = await import("./advice.js");
    return new AdvicePanel(this.#table, { panel: this.#table, ...options });
  }

  /** @returns {Promise<import("/static/tables/js/game-view.js").RoundCheck>} */
  loadCheck() {
    return import("./table-deal.js");
  }

  /**
   * @param {HTMLElement} item
   * @param {Json} hand
   * @param {(turn: number) => number} delayMs
   * @param {boolean} isInstant
   */
  #showHand(item, { cards, status, stake, payout }, delayMs, isInstant) {
    const codes = cards.map(writeCardCode);
    showCards(findElement(item, ".live-hand", HTMLElement), codes, delayMs, isInstant);
    if (!isInstant) return; // the result of the hand is shown after the dealer's cards
    findElement(item, ".hand-total", HTMLElement).textContent = describeTotal(codes, tell);
    const badge = findElement(item, ".hand-status", HTMLElement);
    badge.textContent = UNFINISHED.has(status) ? "" : tell(`status-${status}`);
    const [staked, back] = [this.#currency.parse(stake), this.#currency.parse(payout ?? "0")];
    badge.dataset.tone = payout === undefined || staked === back ? "push" : back > staked ? "win" : "loss";
  }

  /** @param {Json} side */
  #describeSide({ bet, stake, payout }) {
    const [staked, back] = [this.#currency.parse(stake), this.#currency.parse(payout)];
    return tell(back > 0n ? "live-side-won" : "live-side-lost", { bet: this.nameBet(bet), amount: this.#currency.format(back - staked) });
  }

  /**
   * @param {Json} seat
   * @returns {import("/static/tables/js/seat-bets.js").SeatBet[]}
   */
  #listBets({ stakes, staked, hands, insurance, sideBets }) {
    if (!stakes) return staked ? [{ label: tell("live-bet-placed") }] : [];
    const units = hands?.length ? hands.reduce((/** @type {bigint} */ sum, /** @type {Json} */ hand) => sum + this.#currency.parse(hand.stake), 0n) : this.#currency.parse(stakes.main ?? "0");
    if (!units) return [];
    const sides = sideBets
      ? sideBets.map((/** @type {Json} */ side) => ({ label: this.#describeSide(side) }))
      : Object.keys(stakes).filter((name) => name !== "main").map((name) => ({ label: this.nameBet(name), units: this.#currency.parse(stakes[name]) }));
    const insured = insurance ? [{ label: describeInsurance(insurance, this.#currency) }] : [];
    return [{ label: tell("live-bet"), units }, ...sides, ...insured];
  }
}

/** @param {ViewContext} context */
export function createView(context) {
  return new BlackjackView(context);
}

function createHand() {
  const item = createElement("div", "seat-hand");
  const foot = createElement("p", "hand-line");
  foot.append(createElement("span", "hand-total"), " ", createElement("span", "hand-status"));
  item.append(createElement("div", "live-hand"), foot);
  return item;
}

/** @param {Json} rules */
function describeRules({ blackjackPays = "3:2", dealerHitsSoft17 = true }) {
  return tell(dealerHitsSoft17 ? "live-pays-hits" : "live-pays-stands", { odds: describePair(blackjackPays) });
}

/** @param {string} [odds]  as on the wire, "3:2" */
function describePair(odds = "3:2") {
  const [high, low] = odds.split(":");
  return tell("odds-pair", { high, low });
}

/**
 * @param {Json} insurance
 * @param {import("/static/portal/js/currency.js").Currency} currency
 */
function describeInsurance({ status, stake }, currency) {
  const words = status === "pending" ? currency.format(currency.parse(stake)) : tell(`side-insurance_${status}`);
  return tell("live-insurance-status", { status: words });
}

/**
 * @param {Json} request
 * @param {Json} rules  of the room
 * @param {string[] | null} shoe
 */
function describeInsuranceQuestion({ dealer, seats }, { decks }, shoe) {
  const hands = seats.flatMap((/** @type {Json} */ seat) => seat.hands ?? []);
  const seen = [...hands, dealer].flatMap(({ cards }) => cards.map(writeCardCode));
  const { isEndless, values } = describeTenChance(seen, { decks: Number(decks ?? ENDLESS_DECKS), shoe: shoe && shoe.map(Number) });
  return tell(isEndless ? "live-question-insurance-endless" : "live-question-insurance", values);
}

/**
 * Return whether the request is about insurance or early surrender. In its turn a hand may always hit or split.
 * @param {Json} request
 */
function isQuestion({ availableActions }) {
  const types = availableActions.map((/** @type {Action} */ action) => action.type);
  return types.includes("insurance") || (types.includes("surrender") && !types.includes("hit"));
}

/** @param {Json} request */
function hasInsurance({ availableActions }) {
  return availableActions.some((/** @type {Action} */ action) => action.type === "insurance");
}
