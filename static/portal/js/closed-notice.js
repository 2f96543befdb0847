// @ts-check
/** Says why no round can begin at a table, as long as none can. A round that has begun is finished. */

import { tell } from "./words.js";

export class ClosedNotice {
  #announcer;
  isClosed = false;

  /** @param {import("./announcer.js").Announcer} announcer */
  constructor(announcer) {
    this.#announcer = announcer;
  }

  /**
   * @param {object} state
   * @param {boolean} state.isOpen  whether the partner offers the game in the player's currency
   * @param {boolean} state.isOff  whether new bets are switched off
   */
  show({ isOpen, isOff }) {
    this.isClosed = isOff || !isOpen;
    const words = tell(isOff ? "refused-GAME_DISABLED" : "refused-INVALID_CURRENCY");
    this.#announcer.showLasting(this.isClosed ? words : "");
  }
}
