// @ts-check
/** The requests and windows that are open now at the tables of a connection. */

/** @typedef {import("./wire.js").Message} Message */

const OPENS = new Set(["betting_window_open", "game_action_request"]);
/** Each message that closes an offer; the server sends an open one again after `reconnect_state`. */
const CLOSES = new Set(["betting_window_closed", "round_result", "reconnect_state"]);

export class OpenOffers {
  /** The id of each table's first message about its offer. @type {Map<string, string>} */
  #ids = new Map();

  /** @param {Message} message  of a table */
  note({ type, tableId, messageId, repeats }) {
    if (OPENS.has(type)) this.#ids.set(tableId, repeats ?? messageId);
    else if (CLOSES.has(type)) this.#ids.delete(tableId);
  }

  /**
   * @param {string} tableId
   * @param {string} id
   */
  has(tableId, id) {
    return this.#ids.get(tableId) === id;
  }
}
