// @ts-check
/** Draws the five roads, with the marks that a win of each side would add. */

import { buildRoads, fitBeadPlate, computePrediction, createWin } from "./roads.js";
import { createElement, findElement } from "/static/portal/js/dom.js";
import { listTexts, tell } from "/static/portal/js/words.js";
import { createRoad } from "/static/tables/js/road-grid.js";

/**
 * @typedef {import("./roads.js").Outcome} Outcome
 * @typedef {import("./roads.js").Prediction} Prediction
 * @typedef {import("./roads.js").Roads} Roads
 */

/** @type {[name: keyof Roads, className: string][]} */
const ROADS = [
  ["beadPlate", "bead-plate"], ["bigRoad", "big-road"], ["bigEyeBoy", "big-eye-boy"], ["smallRoad", "small-road"], ["cockroachPig", "cockroach-pig"],
];
/** @type {("bigEyeBoy" | "smallRoad" | "cockroachPig")[]} */
const DERIVED = ["bigEyeBoy", "smallRoad", "cockroachPig"];
/** @type {Outcome["winner"][]} */
const WINNERS = ["player", "banker", "tie"];

export class RoadsView {
  #box;
  #beadColumns;
  /** @type {Outcome[]} */
  #outcomes = [];
  /**
   * The supposed winner of the next round, whose marks the roads show; empty for none.
   * @type {"" | "player" | "banker"}
   */
  #supposed = "";

  /**
   * @param {HTMLElement} box
   * @param {{ beadColumns?: number }} [options]  the columns of the bead plate; without it, as many as it takes
   */
  constructor(box, { beadColumns = Infinity } = {}) {
    this.#box = box;
    this.#beadColumns = beadColumns;
  }

  /** @param {Outcome[]} outcomes  oldest first */
  show(outcomes) {
    this.#outcomes = outcomes;
    this.#supposed = "";
    this.#draw();
  }

  #draw() {
    const focused = this.#box.querySelector(":focus");
    const kept = focused instanceof HTMLElement ? focused.dataset.suppose : undefined;
    const map = createElement("div", "roads");
    const before = this.#buildRoads(this.#outcomes);
    const roads = this.#supposed ? this.#buildRoads([...this.#outcomes, createWin(this.#supposed)]) : before;
    for (const [name, className] of ROADS) map.append(createRoadBox(roads, { name, className, isLonger: hasMoreCells(roads, before, name) }));
    this.#box.replaceChildren(this.#createPrediction(), map, createElement("p", "dim road-words", describeOutcomes(this.#outcomes)));
    if (kept) findElement(this.#box, `[data-suppose=${kept}]`, HTMLButtonElement).focus({ preventScroll: true });
  }

  /** @param {Outcome[]} outcomes */
  #buildRoads(outcomes) {
    return { ...buildRoads(outcomes), beadPlate: buildRoads(fitBeadPlate(outcomes, this.#beadColumns)).beadPlate };
  }

  #createPrediction() {
    const prediction = computePrediction(this.#outcomes);
    const box = createElement("div", "predictions");
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", tell("road-next"));
    box.append(this.#createSwitch("player", prediction.player), this.#createSwitch("banker", prediction.banker));
    return box;
  }

  /**
   * @param {"player" | "banker"} winner
   * @param {Prediction} marks
   */
  #createSwitch(winner, marks) {
    const button = createElement("button", `prediction ${winner}`);
    button.type = "button";
    button.dataset.suppose = winner;
    button.setAttribute("aria-pressed", String(this.#supposed === winner));
    button.append(createElement("span", "", tell(`road-if-${winner}`)));
    for (const name of DERIVED) {
      const mark = createElement("span", `mark ${name} ${marks[name]}`);
      mark.setAttribute("aria-hidden", "true");
      button.append(mark);
    }
    const words = DERIVED.map((name) => `${tell(`road-${name}`)} ${tell(`road-${marks[name] || "none"}`)}`);
    button.append(createElement("span", "visually-hidden", listTexts(words)));
    button.addEventListener("click", () => {
      this.#supposed = this.#supposed === winner ? "" : winner;
      this.#draw();
    });
    return button;
  }
}

/**
 * @param {Roads} roads
 * @param {{ name: keyof Roads, className: string, isLonger: boolean }} options  `isLonger`: the last cell is a supposed one
 */
function createRoadBox(roads, { name, className, isLonger }) {
  const box = createElement("section", `road-part ${className}-part`);
  const label = tell(`road-${name}`);
  const isBead = name === "beadPlate";
  const road = createRoad(roads[name], { className, label, mark: isBead ? markWinner : null });
  const grid = road.firstElementChild;
  if (isBead) grid?.setAttribute("data-part", "bead");
  if (isLonger) grid?.lastElementChild?.classList.add("supposed");
  box.append(createElement("h3", "", label), road);
  return box;
}

/**
 * @param {Roads} roads
 * @param {Roads} before
 * @param {keyof Roads} name
 */
function hasMoreCells(roads, before, name) {
  return roads !== before && (name === "beadPlate" || roads[name].length > before[name].length);
}

/**
 * Return the first letter of a winner's name in the page's language.
 * @param {string} winner
 */
function markWinner(winner) {
  return tell(`road-${winner}`)[0].toUpperCase();
}

/** @param {Outcome[]} outcomes */
function describeOutcomes(outcomes) {
  const newest = outcomes.at(-1);
  if (!newest) return tell("road-empty");
  const values = Object.fromEntries(WINNERS.map((winner) => [winner, String(outcomes.filter((each) => each.winner === winner).length)]));
  return tell("road-counts", { ...values, count: String(outcomes.length), newest: tell(`road-${newest.winner}`) });
}
