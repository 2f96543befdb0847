/** The cards of a blackjack round on the felt: dealt, turned, totalled. */

import { isNatural, totalWords } from "./round.js";
import { cardElement } from "/static/portal/js/cards.js";
import { shown, unitsOf } from "/static/portal/js/money.js";
import { appear, slide } from "/static/portal/js/motion.js";

const STEP_MS = 260;
const LAST_MS = 420;

/** Draws rounds into the elements `dealer`, `dealerTotal` and `hands`. */
export class Felt {
  #elements;
  #options;

  constructor(elements, options) {
    this.#elements = elements;
    this.#options = options;
  }

  /** Show the round; returns how many milliseconds its new cards take, none where they lie there at once. */
  show(round, { isInstant = false } = {}) {
    const { dealer, dealerTotal, hands } = this.#elements;
    const hidden = this.#options.hasHole && round.dealer.length === 1 && !round.ended;
    slide([...dealer.children, ...hands.querySelectorAll("playing-card")], () => {
      this.#handsShow(hands, round);
      rowShow(dealer, hidden ? [...round.dealer, ""] : round.dealer);
    });
    const ms = isInstant ? layAtOnce(dealer, hands) : dealInTurn(dealer, hands);
    textAppear(dealerTotal, round.dealer.length ? dealerWords(round) : "", ms);
    round.hands.forEach((hand, index) => {
      textAppear(hands.children[index].querySelector(".total"), isNatural(hand) ? "blackjack" : totalWords(hand.cards), ms);
    });
    return ms;
  }

  clear() {
    const { dealer, dealerTotal, hands } = this.#elements;
    for (const element of [dealer, hands]) element.replaceChildren();
    dealerTotal.textContent = "";
  }

  #handsShow(container, round) {
    while (container.childElementCount > round.hands.length) container.lastElementChild.remove();
    while (container.childElementCount < round.hands.length) container.append(handElement());
    round.hands.forEach((hand, index) => {
      const box = container.children[index];
      const isPlaying = !round.ended && round.owner === "Player" && index === round.handIndex && round.hands.length > 1;
      box.classList.toggle("playing", isPlaying);
      rowShow(box.querySelector(".hand"), hand.cards);
      const label = round.hands.length > 1 ? `Hand ${index + 1}` : "You";
      box.setAttribute("aria-label", label);
      box.querySelector(".who").textContent = label;
      const { decimals } = this.#options;
      box.querySelector(".stake").textContent = shown(unitsOf(hand.stake, decimals), decimals);
      statusShow(box, hand, decimals);
    });
  }
}

/** A total is seen only when the cards that it counts lie there. */
function textAppear(element, text, ms) {
  if (element.textContent === text) return;
  element.textContent = text;
  appear(element, ms);
}

function dealerWords({ dealer }) {
  return isNatural({ cards: dealer, isSplit: false }) ? "blackjack" : totalWords(dealer);
}

function handElement() {
  const box = document.createElement("section");
  box.className = "hand-box";
  const foot = document.createElement("p");
  foot.className = "hand-foot";
  for (const name of ["who", "total", "stake"]) {
    const part = document.createElement("span");
    part.className = name;
    foot.append(part, " ");
  }
  const row = document.createElement("div");
  row.className = "hand";
  const badge = document.createElement("p");
  badge.className = "badge";
  box.append(row, foot, badge);
  return box;
}

function statusShow(box, hand, decimals) {
  const badge = box.querySelector(".badge");
  const gain = unitsOf(hand.payout, decimals) - unitsOf(hand.stake, decimals);
  let tone = "";
  if (hand.status) {
    if (gain > 0n) tone = "win";
    else tone = gain < 0n ? "loss" : "push";
  }
  badge.className = `badge ${tone}`;
  const sum = gain ? ` ${gain > 0n ? "+" : ""}${shown(gain, decimals)}` : "";
  badge.textContent = hand.status ? `${hand.status}${sum}` : "";
}

/** Make the row hold these cards; cards that lie there already stay, a hidden one is turned over. */
function rowShow(row, codes) {
  while (row.childElementCount > codes.length) row.lastElementChild.remove();
  codes.forEach((code, index) => {
    const lying = row.children[index];
    if (!lying) {
      const card = cardElement(code);
      card.classList.add("dealt", "new");
      row.append(card);
    } else if (code && lying.hasAttribute("back")) {
      lying.classList.remove("dealt");
      lying.removeAttribute("back");
      lying.setAttribute("code", code);
      lying.classList.add("turned", "new");
    } else if (code && lying.getAttribute("code") !== code) {
      const card = cardElement(code);
      card.classList.add("dealt", "new");
      lying.replaceWith(card);
    }
  });
}

function layAtOnce(...rows) {
  for (const card of rows.flatMap((row) => [...row.querySelectorAll("playing-card")])) card.classList.remove("dealt", "turned", "new");
  return 0;
}

/** Let the new cards come one after the other, first cards first; returns how long that takes. */
function dealInTurn(dealer, hands) {
  const rows = [...hands.querySelectorAll(".hand"), dealer];
  const fresh = rows.flatMap((row) => [...row.children].map((card, index) => ({ card, index })))
    .filter(({ card }) => card.classList.contains("new"))
    .sort((one, other) => one.index - other.index);
  fresh.forEach(({ card }, turn) => {
    card.classList.remove("new");
    card.style.animationDelay = `${turn * STEP_MS}ms`;
  });
  return fresh.length ? (fresh.length - 1) * STEP_MS + LAST_MS : 0;
}
