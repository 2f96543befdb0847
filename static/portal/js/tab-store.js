// @ts-check
/**
 * What this tab keeps across reloads for its player, who alone gets it back. After another log-in in the tab a kept bet would
 * stake the money of somebody who did not bet, and a kept session that of somebody who has left.
 */

import { clearStored, readStored, writeStored } from "./stored.js";

/** @template Value */
export class TabStore {
  #name;
  #identity;
  /** What was stored last, for a browser that stores nothing. @type {string | null} */
  #text = null;

  /**
   * @param {string} name  under which it is stored
   * @param {{ player: string }} identity  who plays now; nothing is kept for a visitor, who is nobody yet
   */
  constructor(name, identity) {
    this.#name = name;
    this.#identity = identity;
  }

  /**
   * Return what is kept for the player; null for nothing. What was kept for another player is forgotten.
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
