// @ts-check
/** Baccarat's live table: two sides with scores, and the five road maps of the shoe. */

import { findPart } from "/static/portal/js/dom.js";
import { tell } from "/static/portal/js/words.js";
import { SidesView } from "/static/tables/js/sides-view.js";

/**
 * @typedef {import("/static/tables/js/game-view.js").Json} Json
 * @typedef {import("/static/tables/js/game-view.js").ViewContext} ViewContext
 */

class BaccaratView extends SidesView {
  #shown = "";
  /** @type {import("./roads-view.js").RoadsView | null} */
  #roads = null;

  /**
   * @override
   * @param {Json} state
   */
  describeResult({ winner, player, banker }) {
    if (!winner) return "";
    const [high, low] = [player.score, banker.score].map(Number).sort((one, other) => other - one);
    return winner === "tie" ? tell("live-tie-at", { score: String(high) }) : tell("baccarat-won", { side: this.nameSide(winner), high: String(high), low: String(low) });
  }

  /**
   * @override
   * @param {Json} state
   */
  async showHistory({ roads }) {
    const signs = JSON.stringify(roads);
    if (!roads || signs === this.#shown) return;
    this.#shown = signs;
    const { RoadsView } = await import("./roads-view.js"); // not before the panel is in sight
    if (signs !== this.#shown) return;
    this.#roads ??= new RoadsView(findPart(this.table, "history"));
    this.#roads.show(roads.beadPlate.map(readOutcome));
  }
}

/**
 * Return the outcome of a cell of the bead plate, which has every round of the shoe.
 * @param {Json} cell
 * @returns {import("./roads.js").Outcome}
 */
function readOutcome({ winner, playerPair, bankerPair }) {
  return { winner, playerPair: Boolean(playerPair), bankerPair: Boolean(bankerPair) };
}

/** @param {ViewContext} context */
export function createView(context) {
  return new BaccaratView(context);
}
