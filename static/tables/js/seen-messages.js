// @ts-check
/** The ids of messages that have come, because after a reconnection the server sends some of them again. Pure. */

const MAX_REMEMBERED = 2000;

export class SeenMessages {
  /** @type {Set<string>} */
  #ids = new Set();
  /** The id of the last message that belongs to a table; empty before the first. */
  lastId = "";

  /**
   * Return whether the message is new, and remember it.
   * @param {string} messageId
   */
  takeNew(messageId) {
    if (this.#ids.has(messageId)) return false;
    this.#ids.add(messageId);
    if (this.#ids.size > MAX_REMEMBERED) this.#ids.delete(this.#ids.values().next().value ?? "");
    this.lastId = messageId;
    return true;
  }
}
