// @ts-check
/** Shows the state of the connection to the game server, and a button or link to restore it. */

import { createElement, findPart } from "./dom.js";
import { tell } from "./words.js";

/**
 * "taken": another window plays the game session; "over": the game session has ended.
 * "ready": a visitor connects with the first bet.
 * @typedef {"ready" | "up" | "down" | "taken" | "over"} ConnectionState
 */

export class ConnectionView {
  #line;
  #text;
  #createLoginLink;
  #onPlayHere;

  /**
   * @param {HTMLElement} root  the table
   * @param {object} options
   * @param {() => HTMLElement} options.createLoginLink
   * @param {() => void} options.onPlayHere  the player wants to play here instead of in the other window
   */
  constructor(root, { createLoginLink, onPlayHere }) {
    this.#line = findPart(root, "line");
    this.#text = findPart(root, "line-text");
    this.#createLoginLink = createLoginLink;
    this.#onPlayHere = onPlayHere;
  }

  /** @param {ConnectionState} state */
  show(state) {
    this.#line.dataset.line = state;
    this.#text.textContent = tell(`line-${state}`);
    if (state === "taken") this.#text.append(" ", this.#createPlayButton());
    if (state === "over") this.#text.append(" ", this.#createLoginLink());
  }

  #createPlayButton() {
    const button = createElement("button", "button small", tell("play-here"));
    button.type = "button";
    button.addEventListener("click", this.#onPlayHere);
    return button;
  }
}
