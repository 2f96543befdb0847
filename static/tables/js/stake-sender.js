// @ts-check
/**
 * The stakes of a player in a betting window: those that the server has, those in flight, and those before each change.
 * A change is sent at once, so that nothing is lost when the window closes.
 */

import { listMessages } from "./bets.js";

/**
 * @typedef {import("./bets.js").Stakes} Stakes
 * @typedef {import("../../portal/js/currency.js").Currency} Currency
 * @typedef {{ places: import("./bets.js").BetPlace[], actions: import("./bets.js").Action[], currency: Currency }} BetWindow
 */

export class StakeSender {
  #onAct;
  #onChange;
  /** The stakes that the server has, together with those in flight. @type {Stakes} */
  #stakes = new Map();
  /** The stakes that the server has for certain. @type {Stakes} */
  #known = new Map();
  /** The stakes before each change of this window, the newest last. @type {Stakes[]} */
  #before = [];
  #sending = 0;
  /** Whether the server's state has the stakes, which it hides at tables for points. */
  #isTold = false;
  #windowId = "";

  /**
   * @param {object} options
   * @param {(payload: Record<string, unknown>) => Promise<boolean>} options.onAct  resolves with whether the server took it
   * @param {() => void} options.onChange
   */
  constructor({ onAct, onChange }) {
    this.#onAct = onAct;
    this.#onChange = onChange;
  }

  get stakes() {
    return this.#stakes;
  }

  /** The stakes that the server has for certain. */
  get known() {
    return this.#known;
  }

  get canUndo() {
    return this.#before.length > 0;
  }

  /**
   * Take the stakes from the server's state.
   * @param {string} windowId  empty if none is open
   * @param {Stakes | null} stakes  null if the server does not send them
   */
  take(windowId, stakes) {
    const isNew = windowId !== this.#windowId;
    if (isNew) this.#before = [];
    this.#isTold = stakes !== null;
    if (stakes) this.#known = new Map(stakes);
    else if (isNew) this.#known = new Map();
    if (!this.#sending) this.#stakes = new Map(this.#known);
    this.#windowId = windowId;
  }

  /**
   * Change the stakes; resolves with whether the server accepted all of it.
   * @param {Stakes} stakes
   * @param {BetWindow} window
   */
  async change(stakes, window) {
    this.#before.push(this.#stakes);
    return this.#send(stakes, window);
  }

  /**
   * Return to the stakes before the last change.
   * @param {BetWindow} window
   */
  async takeBack(window) {
    const before = this.#before.pop();
    return before ? this.#send(before, window) : false;
  }

  /**
   * @param {Stakes} stakes
   * @param {BetWindow} window
   */
  async #send(stakes, window) {
    const messages = listMessages(this.#stakes, stakes, window);
    let after = this.#stakes;
    this.#stakes = stakes;
    const sent = messages.map((message) => {
      after = message.change(after);
      return this.#sendOne(message, after);
    });
    this.#onChange();
    return (await Promise.all(sent)).every(Boolean);
  }

  /**
   * @param {import("./bets.js").BetMessage} message
   * @param {Stakes} after  the stakes if all earlier messages are accepted, too
   */
  async #sendOne({ payload, change }, after) {
    const windowId = this.#windowId;
    this.#sending += 1;
    const isTaken = await this.#onAct(payload);
    this.#sending -= 1;
    // If the server's state has the stakes, a state with this change may have come before the answer.
    if (isTaken && windowId === this.#windowId) this.#known = this.#isTold ? after : change(this.#known);
    if (!this.#sending) this.#stakes = new Map(this.#known);
    this.#onChange();
    return isTaken;
  }
}
