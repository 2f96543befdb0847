// @ts-check
/** The baccarat table: the dealing order, the scores and the texts. */

import { describeOutcome, scoreHand } from "./score.js";
import { RoadsView } from "./roads-view.js";
import { findPart } from "/static/portal/js/dom.js";
import { OneDealTable } from "/static/portal/js/one-deal-table.js";
import { openTable } from "/static/portal/js/table.js";
import { tell } from "/static/portal/js/words.js";

/**
 * @typedef {import("/static/portal/js/dealt-sides.js").Deal} Deal
 * @typedef {import("./score.js").Outcome} Outcome
 */

/** @type {[side: string, index: number][]} */
const DEAL_ORDER = [["player", 0], ["banker", 0], ["player", 1], ["banker", 1], ["player", 2], ["banker", 2]];
const BEAD_COLUMNS = 12;
/** @type {Record<Outcome["winner"], import("./roads.js").Outcome["winner"]>} */
const WINNERS = { p: "player", b: "banker", t: "tie" };
/** @type {Record<Outcome["winner"], string>} */
const WINNING_SIDES = { p: "player", b: "banker", t: "" };

class BaccaratTable extends OneDealTable {
  /** @type {RoadsView | null} */
  #roads = null;

  /** @override */
  get dealOrder() {
    return DEAL_ORDER;
  }

  /**
   * @override
   * @param {string[]} cards
   */
  score(cards) {
    return scoreHand(cards);
  }

  /**
   * @override
   * @param {Deal} deal
   */
  describeDeal(deal) {
    const { winner } = describeOutcome(deal);
    const [player, banker] = [scoreHand(deal.player), scoreHand(deal.banker)];
    const scores = { high: String(Math.max(player, banker)), low: String(Math.min(player, banker)) };
    const title = winner === "t" ? tell("baccarat-tied", scores) : tell("baccarat-won", { side: nameWinners()[winner], ...scores });
    return { title, winner: WINNING_SIDES[winner] };
  }

  /**
   * @override
   * @param {Deal[]} deals
   */
  showDeals(deals) {
    this.#roads ??= new RoadsView(findPart(document, "roads"), { beadColumns: BEAD_COLUMNS });
    this.#roads.show(deals.map(describeOutcome).map((outcome) => ({ ...outcome, winner: WINNERS[outcome.winner] })));
  }
}

/** @returns {Record<Outcome["winner"], string>} */
function nameWinners() {
  return { p: tell("baccarat-player"), b: tell("baccarat-banker"), t: tell("baccarat-tie") };
}

openTable(BaccaratTable);
