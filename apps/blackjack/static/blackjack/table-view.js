// @ts-check
/** Blackjack at a table of many: the dealer's cards, and before each seat its hands. */

import { describeTotal } from "./round.js";
import { checkTableDeal, listDealt } from "./table-deal.js";
import { nameCard } from "/static/portal/js/cards.js";
import { createElement, findElement, findPart } from "/static/portal/js/dom.js";
import { showCards } from "/static/tables/js/card-rows.js";
import { SeatBets } from "/static/tables/js/seat-bets.js";
import { writeCardCode } from "/static/tables/js/table-shoe.js";

/**
 * @typedef {import("/static/tables/js/action-panel.js").ActionName} ActionName
 * @typedef {import("/static/tables/js/bets.js").Action} Action
 * @typedef {import("/static/tables/js/game-view.js").GameView} GameView
 * @typedef {import("/static/tables/js/game-view.js").Json} Json
 * @typedef {import("/static/tables/js/game-view.js").ViewContext} ViewContext
 */

const STEP_MS = 300;
const SEAT_MS = 70;
const LAST_MS = 420;
/** @type {Record<string, string>} */
const ODDS = { perfectPairs: "with a pair", poker: "with a poker hand" };
/** @type {Record<string, ActionName>} */
const ACTIONS = {
  hit: { label: "Hit", key: "h" },
  stand: { label: "Stand", key: "s" },
  double_down: { label: "Double", key: "d" },
  split: { label: "Split", key: "p" },
  surrender: { label: "Surrender", key: "r" },
  insurance: { label: "Insurance", key: "y" },
};
/** How a hand stands that is not asked any more; other words of the wire are shown as they are. */
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
    this.#currency = currency;
    this.#room = room;
    this.#seatBets = new SeatBets(room, currency);
    const house = findPart(table, "house");
    this.#dealer = createElement("div", "live-hand");
    this.#total = createElement("span", "live-total");
    const title = createElement("h3", "", "Dealer");
    title.append(" ", this.#total);
    const rule = createElement("p", "house-rule", describeRules(room.rules ?? {}));
    house.className = "live-house live-dealer";
    house.replaceChildren(title, this.#dealer, rule);
  }

  /** @param {string} name */
  nameBet(name) {
    return name === "main" ? "Your bet" : (this.#bets[name] ?? name);
  }

  /** @param {string} name */
  describeOdds(name) {
    return ODDS[name] ?? `Blackjack pays ${String(this.#room.rules?.blackjackPays ?? "3:2").replace(":", " to ")}`;
  }

  /**
   * @param {Action} action
   * @param {Json} request
   */
  nameAction({ type, minAmount, maxAmount }, request) {
    const { label, ...rest } = ACTIONS[type] ?? { label: type, key: type[0] };
    if (type === "stand" && isQuestion(request)) return { label: hasInsurance(request) ? "No insurance" : "Play on", key: "n" };
    if (minAmount === undefined || minAmount !== maxAmount) return { label, ...rest };
    return { label: `${label} +${this.#currency.format(this.#currency.parse(minAmount))}`, ...rest };
  }

  /** @param {Json} request */
  describeQuestion(request) {
    if (hasInsurance(request)) return "The dealer shows an ace. Insurance pays 2 to 1 if the second card makes blackjack, about 4 times in 13. It is lost if not.";
    return isQuestion(request) ? "Give the hand up for half of its stake before the dealer looks, or play on?" : "";
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
    // A total follows its cards: it is shown once they lie there.
    if (isInstant || !news) this.#total.textContent = open.length ? describeTotal(open) : "";
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
    if (isInstant || !hands.length) this.#seatBets.show(findElement(box, ".seat-stakes", HTMLElement), this.#listBets(seat));
  }

  /**
   * @param {Json} state
   * @param {Json | null} seat
   */
  describeCards({ dealer }, seat) {
    if (!dealer) return "";
    const hands = (seat?.hands ?? []).map((/** @type {Json} */ hand, /** @type {number} */ index, /** @type {Json[]} */ all) => {
      const codes = hand.cards.map(writeCardCode);
      return `${all.length > 1 ? `Hand ${index + 1}` : "You"}: ${codes.map(nameCard).join(", ")}, ${describeTotal(codes)}.`;
    });
    return [...hands, `Dealer: ${dealer.cards.map(writeCardCode).map(nameCard).join(", ")}.`].join(" ");
  }

  /** @param {Json} state */
  describeResult({ dealer, results }) {
    if (!results?.length || !dealer) return "";
    const codes = dealer.cards.map(writeCardCode);
    const total = describeTotal(codes);
    return Number(dealer.value) > 21 ? `The dealer is bust with ${total}.` : `The dealer has ${total}.`;
  }

  /** @param {Json} state */
  showHistory({ previousResults = [] }) {
    const list = createElement("ol", "dealer-totals");
    for (const { roundNumber, dealer } of previousResults.slice(-12)) {
      const value = Number(dealer.value);
      const item = createElement("li", value > 21 ? "bust" : "", value > 21 ? "Bust" : String(value));
      item.title = `Round ${roundNumber}: ${dealer.cards.map(writeCardCode).map(nameCard).join(", ")}`;
      list.append(item);
    }
    const words = previousResults.length ? "The dealer's hands of this shoe, the newest last." : "No rounds of this shoe yet.";
    findPart(this.#table, "history").replaceChildren(list, createElement("p", "dim", words));
  }

  /** @param {Json} record */
  countCards(record) {
    return listDealt(record).length;
  }

  /**
   * @param {Json} record
   * @param {string[]} cards
   */
  checkDeal(record, cards) {
    return checkTableDeal(record, cards);
  }

  /**
   * @param {HTMLElement} item
   * @param {Json} hand
   * @param {(turn: number) => number} delayMs
   * @param {boolean} isInstant
   */
  #showHand(item, { cards, status, stake, payout }, delayMs, isInstant) {
    const codes = cards.map(writeCardCode);
    const news = showCards(findElement(item, ".live-hand", HTMLElement), codes, delayMs, isInstant);
    if (news && !isInstant) return;
    findElement(item, ".hand-total", HTMLElement).textContent = describeTotal(codes);
    const badge = findElement(item, ".hand-status", HTMLElement);
    badge.textContent = UNFINISHED.has(status) ? "" : status;
    const [staked, back] = [this.#currency.parse(stake), this.#currency.parse(payout ?? "0")];
    badge.dataset.tone = payout === undefined || staked === back ? "push" : back > staked ? "win" : "loss";
  }

  /** @param {Json} side */
  #describeSide({ bet, stake, payout }) {
    const [staked, back] = [this.#currency.parse(stake), this.#currency.parse(payout)];
    return `${this.nameBet(bet)} ${back > 0n ? `+${this.#currency.format(back - staked)}` : "lost"}`;
  }

  /**
   * @param {Json} seat
   * @returns {import("/static/tables/js/seat-bets.js").SeatBet[]}
   */
  #listBets({ stakes, staked, hands, insurance, sideBets }) {
    if (!stakes) return staked ? [{ label: "Bet placed" }] : [];
    const units = hands?.length ? hands.reduce((/** @type {bigint} */ sum, /** @type {Json} */ hand) => sum + this.#currency.parse(hand.stake), 0n) : this.#currency.parse(stakes.main ?? "0");
    if (!units) return [];
    const sides = sideBets
      ? sideBets.map((/** @type {Json} */ side) => ({ label: this.#describeSide(side) }))
      : Object.keys(stakes).filter((name) => name !== "main").map((name) => ({ label: this.nameBet(name), units: this.#currency.parse(stakes[name]) }));
    const insured = insurance ? [{ label: `Insurance ${insurance.status === "pending" ? insurance.stake : insurance.status}` }] : [];
    return [{ label: "Bet", units }, ...sides, ...insured];
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
  const dealer = dealerHitsSoft17 ? "Dealer hits soft 17" : "Dealer stands on all 17s";
  return `Blackjack pays ${String(blackjackPays).replace(":", " to ")} · ${dealer}`;
}

/**
 * Return whether insurance or early surrender is asked: a hand that is played may always hit or split.
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
