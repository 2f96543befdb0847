// @ts-check
/**
 * Draws a round whose cards lie on sides; a side is a member of the public state with `cards`. Every game without a
 * `table-view.js` uses it, and games with one extend it.
 */

import { nameCard } from "../../portal/js/cards.js";
import { createElement, findPart } from "../../portal/js/dom.js";
import { listTexts, tell } from "../../portal/js/words.js";
import { showCards } from "./card-rows.js";
import { SeatBets } from "./seat-bets.js";
import { writeCardCode } from "./wire.js";

/**
 * @typedef {import("./game-view.js").GameView} GameView
 * @typedef {import("./game-view.js").Json} Json
 * @typedef {import("./game-view.js").ViewContext} ViewContext
 *
 * @typedef {{ box: HTMLElement, score: HTMLElement, hand: HTMLElement }} SideBox
 */

const CARD_MS = 430;

/** @implements {GameView} */
export class SidesView {
  #house;
  #sides;
  #currency;
  #seatBets;

  /** @param {ViewContext} context */
  constructor({ table, bets, sides, room, currency }) {
    this.#currency = currency;
    this.#seatBets = new SeatBets(room, currency);
    this.table = table;
    this.bets = bets;
    this.betOrder = Object.keys(bets);
    this.sides = sides;
    this.room = room;
    this.#house = findPart(table, "house");
    this.#sides = new Map(sides.map((name) => [name, createSide(name, this.nameSide(name))]));
    this.#house.className = "live-house live-sides";
    this.#house.replaceChildren(...Array.from(this.#sides.values(), ({ box }) => box));
  }

  /**
   * The sides that have cards, in dealing order.
   * @param {Json} state  of a table, or the result of a round
   */
  listSides(state) {
    return this.sides.filter((name) => state[name]?.cards);
  }

  /** @param {string} name */
  nameBet(name) {
    return this.bets[name] ?? titleWords(name);
  }

  /** @param {string} _name */
  describeOdds(_name) {
    return "";
  }

  /** @param {import("./bets.js").Action} action */
  nameAction({ type }) {
    return { label: titleWords(type), key: type[0] };
  }

  describeQuestion() {
    return "";
  }

  /**
   * @param {Json} state
   * @param {{ isInstant: boolean }} options
   */
  show(state, { isInstant }) {
    const order = this.listCards(state);
    let dealt = 0;
    for (const [name, { box, hand, score }] of this.#sides) {
      const codes = (state[name]?.cards ?? []).map(writeCardCode);
      const news = showCards(hand, codes, (_turn, index) => order.indexOf(`${name}:${index}`) * CARD_MS, isInstant);
      dealt += news;
      // A score is shown once its cards lie on the table.
      score.textContent = codes.length && (isInstant || !news) ? this.describeScore(state[name]) : "";
      box.classList.toggle("winner", state.winner === name);
    }
    return dealt && !isInstant ? order.length * CARD_MS + CARD_MS : 0;
  }

  /**
   * The cards in dealing order, one to each side in turn, as `side:index`.
   * @param {Json} state
   */
  listCards(state) {
    const sides = this.listSides(state);
    const most = Math.max(0, ...sides.map((name) => state[name].cards.length));
    return Array.from({ length: most }, (_, index) =>
      sides.flatMap((name) => (index < state[name].cards.length ? [`${name}:${index}`] : []))).flat();
  }

  /** @param {Json} side */
  describeScore({ score }) {
    return score === undefined ? "" : String(score);
  }

  /**
   * @param {HTMLElement} box
   * @param {Json} seat
   */
  showSeat(box, { stakes, staked }) {
    const bets = Object.entries(stakes ?? {}).map(([name, amount]) => ({ label: this.nameBet(name), units: this.#currency.parse(amount) }));
    this.#seatBets.show(box, bets.length || !staked ? bets : [{ label: tell("live-bet-placed") }], { isSum: true });
  }

  /** @param {Json} state */
  describeCards(state) {
    const sides = this.listSides(state).map((name) =>
      tell("side-cards", { side: this.nameSide(name), cards: listTexts(state[name].cards.map(writeCardCode).map(nameCard)) }));
    return sides.join(" ");
  }

  /** @param {string} name */
  nameSide(name) {
    return this.bets[name] ?? titleWords(name);
  }

  /** @param {Json} state */
  describeResult({ winner }) {
    if (!winner) return "";
    return winner === "tie" ? tell("sides-tie") : tell("sides-wins", { side: this.nameSide(winner) });
  }

  /**
   * @param {Json} state
   * @returns {void | Promise<void>}
   */
  showHistory({ previousResults: previous = [] }) {
    const panel = findPart(this.table, "history");
    const row = createElement("ol", "bead-row");
    for (const { winner, roundNumber } of previous.slice(-20)) {
      const item = createElement("li", "bead", winner === "tie" ? "=" : this.nameSide(winner)[0]);
      item.dataset.winner = winner;
      item.title = tell("round-title", { number: String(roundNumber), text: this.nameSide(winner) });
      row.append(item);
    }
    const words = previous.length ? "" : tell("shoe-no-rounds");
    panel.replaceChildren(previous.length ? row : createElement("p", "dim", words));
  }

  /** @returns {Promise<import("./game-view.js").RoundCheck>} */
  async loadCheck() {
    const { SidesCheck } = await import("./sides-check.js");
    return new SidesCheck(this);
  }
}

/** @param {ViewContext} context */
export function createView(context) {
  return new SidesView(context);
}

/**
 * @param {string} name
 * @param {string} label
 * @returns {SideBox}
 */
function createSide(name, label) {
  const box = createElement("section", `live-card-side side-${name}`);
  box.setAttribute("aria-label", label);
  const score = createElement("span", "live-score");
  const title = createElement("h3", "", label);
  title.append(" ", score);
  const hand = createElement("div", "live-hand");
  box.append(title, hand);
  return { box, score, hand };
}

/**
 * Return a name on the wire as words: "suited_tie" becomes "Suited tie".
 * @param {string} name
 */
function titleWords(name) {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
