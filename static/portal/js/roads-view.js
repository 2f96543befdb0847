// @ts-check
/** Draws the last rounds: bead plate, big road, and a summary as text. */

import { createElement, findPart } from "./dom.js";
import { buildBigRoad, fitBeadPlate } from "./roads.js";

/**
 * @typedef {import("./roads.js").Outcome} Outcome
 * @typedef {import("./roads.js").RoadCell} RoadCell
 * @typedef {Record<Outcome["winner"], string>} WinnerNames
 */

/** @type {Outcome["winner"][]} */
const WINNERS = ["p", "b", "t"];

/** The roads of a page. */
export class RoadsView {
  #bead;
  #big;
  #bigScroll;
  #words;
  #names;

  /**
   * @param {ParentNode} root
   * @param {WinnerNames} names
   */
  constructor(root, names) {
    this.#bead = findPart(root, "bead");
    this.#big = findPart(root, "big");
    this.#bigScroll = findPart(root, "big-scroll");
    this.#words = findPart(root, "road-words");
    this.#names = names;
  }

  /** @param {Outcome[]} outcomes  oldest first */
  show(outcomes) {
    this.#bead.replaceChildren(...fitBeadPlate(outcomes).map((outcome) => createCell(outcome, outcome.winner.toUpperCase())));
    this.#big.replaceChildren(...buildBigRoad(outcomes).map(createBigCell));
    this.#bigScroll.scrollLeft = this.#bigScroll.scrollWidth;
    this.#words.textContent = this.#describe(outcomes);
  }

  /** @param {Outcome[]} outcomes */
  #describe(outcomes) {
    const newest = outcomes.at(-1);
    if (!newest) return "No rounds yet.";
    const counts = WINNERS.map((winner) => {
      const count = outcomes.filter((outcome) => outcome.winner === winner).length;
      return `${this.#names[winner].toLowerCase()} ${count}`;
    });
    return `Last ${outcomes.length} rounds: ${counts.join(", ")}. The newest: ${this.#names[newest.winner].toLowerCase()}.`;
  }
}

/** @param {RoadCell} cell */
function createBigCell(cell) {
  const span = createCell(cell, cell.ties > 1 ? String(cell.ties) : "");
  span.classList.toggle("tied", cell.ties > 0);
  span.style.gridColumn = String(cell.column);
  span.style.gridRow = String(cell.row);
  return span;
}

/**
 * @param {Outcome} outcome
 * @param {string} text
 */
function createCell({ winner, playerPair, bankerPair }, text) {
  const span = createElement("span", winner, text);
  span.classList.toggle("pair-p", playerPair);
  span.classList.toggle("pair-b", bankerPair);
  return span;
}
