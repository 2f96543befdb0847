// @ts-check
/** Shows the cards and totals of a blackjack round on the felt. */

import { describeHand } from "./totals.js";
import { chooseTone } from "/static/portal/js/announcer.js";
import { createCard } from "/static/portal/js/cards.js";
import { createElement, findElement, findPart } from "/static/portal/js/dom.js";
import { appear, slide } from "/static/portal/js/motion.js";
import { findPace } from "/static/portal/js/pace.js";
import { tell } from "/static/portal/js/words.js";

/**
 * @typedef {import("./round.js").Hand} Hand
 * @typedef {import("./round.js").Round} Round
 * @typedef {import("/static/portal/js/currency.js").Currency} Currency
 */

const STEP_MS = 260;
/** The longest time that a card takes to be dealt or turned over (cards.css). */
const LAST_MS = 450;
const NEW_CLASSES = ["dealt", "turned", "new"];

export class Felt {
  #dealer;
  #dealerTotal;
  #hands;
  #currency;
  #hasHole;

  /**
   * @param {HTMLElement} root  the table
   * @param {{ currency: Currency, hasHole: boolean }} options  `hasHole`: the dealer's second card is face down
   */
  constructor(root, { currency, hasHole }) {
    this.#dealer = findPart(root, "dealer-hand");
    this.#dealerTotal = findPart(root, "dealer-total");
    this.#hands = findPart(root, "hands");
    this.#currency = currency;
    this.#hasHole = hasHole;
  }

  /**
   * Show the round; returns how many milliseconds its new cards take at normal speed, 0 without an animation.
   * @param {Round} round
   * @param {{ isInstant?: boolean }} [options]
   */
  show(round, { isInstant = false } = {}) {
    const isHoleHidden = this.#hasHole && round.dealer.length === 1 && !round.ended;
    slide([...this.#dealer.children, ...this.#hands.querySelectorAll("playing-card")], () => {
      this.#showHands(round);
      showCards(this.#dealer, isHoleHidden ? [...round.dealer, ""] : round.dealer);
    });
    const ms = isInstant ? this.#layAtOnce() : this.#dealInTurn();
    showTotal(this.#dealerTotal, round.dealer.length ? describeHand({ cards: round.dealer }, tell) : "", ms);
    round.hands.forEach((hand, index) => {
      showTotal(findElement(this.#hands.children[index], ".total", HTMLElement), describeHand(hand, tell), ms);
    });
    return ms;
  }

  clear() {
    this.#dealer.replaceChildren();
    this.#hands.replaceChildren();
    this.#dealerTotal.textContent = "";
  }

  /** @param {Round} round */
  #showHands(round) {
    const boxes = this.#hands;
    while (boxes.childElementCount > round.hands.length) boxes.lastElementChild?.remove();
    while (boxes.childElementCount < round.hands.length) boxes.append(createHandBox());
    const isSplit = round.hands.length > 1;
    round.hands.forEach((hand, index) => {
      const box = boxes.children[index];
      box.classList.toggle("playing", isSplit && !round.ended && round.owner === "Player" && index === round.handIndex);
      showCards(findElement(box, ".hand", HTMLElement), hand.cards);
      const label = isSplit ? tell("hand-number", { number: String(index + 1) }) : tell("hand-you");
      box.setAttribute("aria-label", label);
      findElement(box, ".who", HTMLElement).textContent = label;
      findElement(box, ".stake", HTMLElement).textContent = this.#currency.format(this.#currency.parse(hand.stake));
      this.#showStatus(findElement(box, ".badge", HTMLElement), hand);
    });
  }

  /**
   * @param {HTMLElement} badge
   * @param {Hand} hand
   */
  #showStatus(badge, { status, stake, payout }) {
    const [staked, back] = [this.#currency.parse(stake), this.#currency.parse(payout)];
    badge.className = `badge ${status ? chooseTone(staked, back) : ""}`;
    const gain = back - staked;
    const words = status ? tell(`status-${status}`) : "";
    const sum = `${gain > 0n ? "+" : ""}${this.#currency.format(gain)}`;
    badge.textContent = words && gain ? tell("badge", { status: words, gain: sum }) : words;
  }

  #layAtOnce() {
    for (const row of this.#listRows()) {
      for (const card of row.children) card.classList.remove(...NEW_CLASSES);
    }
    return 0;
  }

  /** Deal the new cards one after the other, first cards first; returns how long that takes. */
  #dealInTurn() {
    const newCards = this.#listRows()
      .flatMap((row) => Array.from(row.children, (card, index) => ({ card, index })))
      .filter(({ card }) => card.classList.contains("new"))
      .sort((one, other) => one.index - other.index);
    newCards.forEach(({ card }, turn) => {
      card.classList.remove("new");
      if (card instanceof HTMLElement) card.style.animationDelay = `${turn * STEP_MS * findPace()}ms`;
    });
    return newCards.length ? (newCards.length - 1) * STEP_MS + LAST_MS : 0;
  }

  #listRows() {
    return [...this.#hands.querySelectorAll(".hand"), this.#dealer];
  }
}

/**
 * Show a total after the cards that it counts.
 * @param {HTMLElement} element
 * @param {string} text
 * @param {number} ms
 */
function showTotal(element, text, ms) {
  if (element.textContent === text) return;
  element.textContent = text;
  appear(element, ms);
}

function createHandBox() {
  const foot = createElement("p", "hand-foot");
  for (const name of ["who", "total", "stake"]) foot.append(createElement("span", name), " ");
  findElement(foot, ".stake", HTMLElement).dataset.before = `${tell("hand-stake")} `;
  const box = createElement("section", "hand-box");
  box.append(createElement("div", "hand"), foot, createElement("p", "badge"));
  return box;
}

/**
 * Show these cards in the row: existing cards stay, and a hidden one is turned over.
 * @param {HTMLElement} row
 * @param {string[]} codes  empty for a face-down card
 */
function showCards(row, codes) {
  while (row.childElementCount > codes.length) row.lastElementChild?.remove();
  codes.forEach((code, index) => {
    const card = row.children[index];
    if (!card) row.append(createNewCard(code));
    else if (code && card.hasAttribute("back")) turnCard(card, code);
    else if (code && card.getAttribute("code") !== code) card.replaceWith(createNewCard(code));
  });
}

/** @param {string} code */
function createNewCard(code) {
  const card = createCard(code);
  card.classList.add("dealt", "new");
  return card;
}

/**
 * @param {Element} card
 * @param {string} code
 */
function turnCard(card, code) {
  card.classList.remove("dealt");
  card.removeAttribute("back");
  card.setAttribute("code", code);
  card.classList.add("turned", "new");
}
