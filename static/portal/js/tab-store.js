// @ts-check
/**
 * Values that this tab keeps across reloads for its player alone. After another log-in in the tab, a kept bet would
 * stake the money of a player who did not bet, and a kept session the money of a player who has left.
 */

import { clearStored, readStored, writeStored } from "./stored.js";

/** @template Value */
export class TabStore {
  #name;
  #identity;
  /** The last stored value, for a browser that stores nothing. @type {string | null} */
  #text = null;

  /**
   * @param {string} name  under which it is stored
   * @param {{ player: string }} identity  the player; nothing is kept for a visitor without an account
   */
  constructor(name, identity) {
    this.#name = name;
    this.#identity = identity;
  }

  /**
   * Return the kept value of the player, or null. The value of another player is removed.
   * @returns {Value | null}
   */
  read() {
    try {
      const { player, value } = JSON.parse(readStored(this.#name, "sessionStorage") ?? this.#text ?? "{}");
      if (player && player === this.#identity.player) return value;
    } catch {
      // This page did not store that text.
    }
    this.clear();
    return null;
  }

  /** @param {Value} value */
  write(value) {
    this.#text = JSON.stringify({ player: this.#identity.player, value });
    writeStored(this.#name, this.#text, "sessionStorage");
  }

  clear() {
    this.#text = null;
    clearStored(this.#name, "sessionStorage");
  }
}
