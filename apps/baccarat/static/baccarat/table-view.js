// @ts-check
/** Baccarat at a table of many: two sides with scores, and the five road maps of the shoe. */

import { createElement, findPart } from "/static/portal/js/dom.js";
import { createRoad } from "/static/tables/js/road-grid.js";
import { SidesView } from "/static/tables/js/sides-view.js";

/**
 * @typedef {import("/static/tables/js/game-view.js").Json} Json
 * @typedef {import("/static/tables/js/game-view.js").ViewContext} ViewContext
 */

/** @type {[name: string, title: string, className: string][]} */
const ROADS = [
  ["beadPlate", "Bead plate", "bead-plate"],
  ["bigRoad", "Big road", "big-road"],
  ["bigEyeBoy", "Big eye boy", "big-eye-boy"],
  ["smallRoad", "Small road", "small-road"],
  ["cockroachPig", "Cockroach pig", "cockroach-pig"],
];
const WINNERS = ["player", "banker", "tie"];

class BaccaratView extends SidesView {
  #shown = "";

  /**
   * @override
   * @param {Json} state
   */
  describeResult({ winner, player, banker }) {
    if (!winner) return "";
    const [high, low] = [player.score, banker.score].map(Number).sort((one, other) => other - one);
    return winner === "tie" ? `A tie at ${high}.` : `${this.nameSide(winner)} wins, ${high} to ${low}.`;
  }

  /**
   * @override
   * @param {Json} state
   */
  showHistory({ roads, previousResults = [] }) {
    const signs = JSON.stringify([roads, previousResults.length]);
    if (!roads || signs === this.#shown) return;
    this.#shown = signs;
    const box = createElement("div", "live-roads");
    for (const [name, title, className] of ROADS) {
      const road = createElement("section", "live-road");
      road.append(createElement("h3", "", title), createRoad(roads[name] ?? [], { className, label: title }));
      box.append(road);
    }
    findPart(this.table, "history").replaceChildren(box, createElement("p", "dim", this.#describeRounds(previousResults)));
  }

  /** @param {Json[]} rounds */
  #describeRounds(rounds) {
    const newest = rounds.at(-1);
    if (!newest) return "No rounds of this shoe yet.";
    const counts = WINNERS.map((winner) => `${this.nameSide(winner).toLowerCase()} ${rounds.filter((round) => round.winner === winner).length}`);
    return `Last ${rounds.length} rounds: ${counts.join(", ")}. The newest: ${this.nameSide(newest.winner).toLowerCase()}.`;
  }
}

/** @param {ViewContext} context */
export function createView(context) {
  return new BaccaratView(context);
}
