// @ts-check
/** The seats of a table: players, stakes, hands, the seats that have to act, and buttons to take free seats. */

import { createElement, findPart } from "../../portal/js/dom.js";
import { formatCompact } from "../../portal/js/locale.js";
import { groupThousands } from "../../portal/js/money.js";
import { tell } from "../../portal/js/words.js";
import { findResult } from "./table-model.js";

/**
 * @typedef {import("../../portal/js/currency.js").Currency} Currency
 * @typedef {import("./game-view.js").GameView} GameView
 * @typedef {import("./table-model.js").Json} Json
 * @typedef {import("./wire.js").ServerClock} ServerClock
 *
 * @typedef {object} SeatListOptions
 * @property {number} seatCount
 * @property {Currency} currency
 * @property {boolean} isPoints
 * @property {GameView} view
 * @property {ServerClock} clock
 * @property {number} turnMs
 * @property {(seat: number) => void} onTake
 *
 * @typedef {object} SeatBox
 * @property {HTMLLIElement} item
 * @property {HTMLElement} name
 * @property {HTMLElement} tags
 * @property {HTMLElement} cards  the game draws there
 * @property {HTMLElement} foot
 * @property {HTMLElement} net
 * @property {HTMLElement} timer
 * @property {HTMLButtonElement} take
 */

const TICK_MS = 250;
/** Signs of a result in digits of the usual size, and in small ones, for which every seat has room. */
const USUAL_NET_CHARS = 7;
const MAX_NET_CHARS = 9;

export class SeatList {
  #options;
  #list;
  #hasOwn = false;
  /** @type {SeatBox[]} */
  #boxes;
  /** @type {Map<number, number>} */
  #deadlines = new Map();

  /**
   * @param {HTMLElement} table
   * @param {SeatListOptions} options
   */
  constructor(table, options) {
    this.#options = options;
    this.#boxes = Array.from({ length: options.seatCount }, (_, index) => createBox(index + 1, options.onTake));
    this.#list = findPart(table, "seats");
    this.#list.replaceChildren(...this.#boxes.map(({ item }) => item));
    setInterval(() => this.#showTimers(), TICK_MS);
  }

  /**
   * @param {Json} state
   * @param {object} options
   * @param {string} options.playerId  this player's
   * @param {Map<string, bigint> | null} options.ownStakes  if they are hidden from the others
   * @param {boolean} options.canTake
   * @param {boolean} options.isInstant
   */
  show(state, { playerId, ownStakes, canTake, isInstant }) {
    this.#deadlines = new Map(state.turns.map((/** @type {Json} */ turn) => [Number(turn.seat), Number(turn.deadline)]));
    this.#boxes.forEach((box, index) => {
      const number = index + 1;
      const seat = state.seats.find((/** @type {Json} */ each) => Number(each.seat) === number) ?? null;
      const isOwn = seat?.playerId === playerId;
      box.item.classList.toggle("taken", Boolean(seat));
      box.item.classList.toggle("own", isOwn);
      box.item.classList.toggle("turn", this.#deadlines.has(number));
      box.take.hidden = Boolean(seat) || !canTake;
      box.take.disabled = false;
      box.item.hidden = !seat && !canTake;
      if (!seat) {
        clearBox(box);
        return;
      }
      const shown = isOwn && ownStakes && !seat.stakes ? { ...seat, stakes: writeStakes(ownStakes, this.#options.currency) } : seat;
      this.#showSeat(box, shown, { isOwn, isInstant, state });
    });
    this.#showTimers();
    const hasOwn = state.seats.some((/** @type {Json} */ seat) => seat.playerId === playerId);
    if (hasOwn && !this.#hasOwn) this.#list.scrollLeft = 0; // in a row of seats the player's own is first
    this.#hasOwn = hasOwn;
  }

  /** Focus the player's own seat, or without one the list. */
  focus() {
    const own = this.#boxes.find(({ item }) => item.classList.contains("own"));
    (own?.item ?? this.#list).focus({ preventScroll: true });
  }

  /**
   * @param {SeatBox} box
   * @param {Json} seat
   * @param {{ isOwn: boolean, isInstant: boolean, state: Json }} options
   */
  #showSeat(box, seat, { isOwn, isInstant, state }) {
    const { currency, isPoints, view } = this.#options;
    box.name.textContent = seat.displayName;
    const isReady = state.phase === "betting" && seat.ready;
    const tags = [
      ...(isOwn ? [createElement("span", "tag you", tell("live-you"))] : []),
      ...(seat.bot ? [createElement("span", "tag bot", tell("live-bot"))] : []),
      ...(isReady ? [createElement("span", "tag ready", tell("live-ready"))] : []),
    ];
    box.tags.replaceChildren(...tags);
    view.showSeat(box.cards, seat, { isOwn, isInstant });
    box.foot.textContent = isPoints && seat.points !== undefined ? tell("live-points", { points: formatPoints(seat.points) }) : "";
    const outcome = findResult(state, seat.playerId);
    showNet(box.net, outcome ? currency.parse(outcome.net) : null, currency, isOwn);
  }

  #showTimers() {
    const { clock, turnMs } = this.#options;
    this.#boxes.forEach(({ timer }, index) => {
      const deadline = this.#deadlines.get(index + 1);
      timer.style.scale = deadline === undefined ? "0 1" : `${Math.min(1, clock.countLeft(deadline) / turnMs)} 1`;
    });
  }
}

/**
 * @param {number} number
 * @param {(seat: number) => void} onTake
 * @returns {SeatBox}
 */
function createBox(number, onTake) {
  const item = createElement("li", "seat");
  item.dataset.seat = String(number);
  item.tabIndex = -1; // Tab leads from the own seat to the bets
  item.append(createElement("span", "seat-number", String(number)));
  const [name, tags, foot, net, timer] = ["seat-name", "seat-tags", "seat-foot", "seat-net", "seat-timer"].map((part) =>
    createElement("span", part));
  const cards = createElement("div", "seat-cards");
  const take = createElement("button", "button small seat-take", tell("live-sit-here"));
  take.type = "button";
  take.disabled = true; // until the table's state is known
  take.setAttribute("aria-label", tell("live-take-seat-number", { number: String(number) }));
  take.addEventListener("click", () => onTake(number));
  item.append(name, tags, cards, foot, net, timer, take);
  return { item, name, tags, cards, foot, net, timer, take };
}

/** @param {SeatBox} box */
function clearBox({ name, tags, cards, foot, net }) {
  for (const part of [tags, cards]) part.replaceChildren();
  for (const note of Object.keys(cards.dataset)) delete cards.dataset[note]; // the game's notes on its drawing
  for (const part of [name, foot, net]) part.textContent = "";
  net.className = "seat-net";
}

/**
 * @param {Map<string, bigint>} stakes
 * @param {Currency} currency
 */
function writeStakes(stakes, currency) {
  return Object.fromEntries(Array.from(stakes, ([name, units]) => [name, currency.formatPlain(units)]));
}

/** @param {string} points */
function formatPoints(points) {
  return `${Number(points) > 0 ? "+" : ""}${groupThousands(points)}`;
}

/**
 * Show the result of a round. The player's own is always exact. One that another seat has no room for is shortened.
 * @param {HTMLElement} element
 * @param {bigint | null} net
 * @param {Currency} currency
 * @param {boolean} isOwn
 */
function showNet(element, net, currency, isOwn) {
  const exact = net === null ? "" : writeNet(net, currency);
  const isShortened = net && !isOwn && exact.length > MAX_NET_CHARS;
  element.textContent = isShortened ? `${net > 0n ? "+" : "−"}${formatCompact(currency.countWhole(net))}` : exact;
  element.title = isShortened ? exact : "";
  element.className = `seat-net ${net === null ? "" : chooseNetTone(net)}`;
  element.classList.toggle("long", element.textContent.length > USUAL_NET_CHARS);
}

/** @param {bigint} net */
function chooseNetTone(net) {
  if (net > 0n) return "win";
  return net < 0n ? "loss" : "push";
}

/**
 * @param {bigint} net
 * @param {Currency} currency
 */
function writeNet(net, currency) {
  if (!net) return tell("live-even");
  return net > 0n ? `+${currency.format(net)}` : currency.format(net);
}
