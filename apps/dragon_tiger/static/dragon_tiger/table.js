// @ts-check
/** The dragon tiger table: the dealing order, the ranks and the texts. */

import { describeEnding, findWinner, nameRank } from "./ranks.js";
import { OneDealTable } from "/static/portal/js/one-deal-table.js";
import { openTable } from "/static/portal/js/table.js";
import { tell } from "/static/portal/js/words.js";

/** @typedef {import("/static/portal/js/dealt-sides.js").Deal} Deal */

/** @type {[side: string, index: number][]} */
const DEAL_ORDER = [["dragon", 0], ["tiger", 0]];

class DragonTigerTable extends OneDealTable {
  /** @override */
  get dealOrder() {
    return DEAL_ORDER;
  }

  /**
   * @override
   * @param {string[]} cards
   */
  score(cards) {
    return nameRank(cards[0], tell);
  }

  /**
   * @override
   * @param {Deal} deal
   */
  describeDeal(deal) {
    const winner = findWinner(deal);
    return { title: describeEnding(deal, tell), winner: winner === "tie" ? "" : winner };
  }
}

openTable(DragonTigerTable);
