// @ts-check
/** A table's messages: the text in the middle of the felt, problems, and announcements for screen readers. */

import { createElement, findPart } from "./dom.js";
import { countUp } from "./motion.js";

/**
 * @typedef {"win" | "loss" | "push" | ""} Tone
 *
 * A gain that counts up in the title, which `write` writes for an amount.
 * @typedef {{ units: bigint, write: (units: bigint) => string }} Gain
 */

export class Announcer {
  #verdict;
  #said;
  #problem;
  #invitation;
  #shown = "";
  /** The problem that is shown while there is no other. */
  #lasting = "";

  /** @param {HTMLElement} root  the table, whose felt says that it is loading until the script is here */
  constructor(root) {
    this.#verdict = findPart(root, "verdict");
    this.#said = findPart(root, "said");
    this.#problem = findPart(root, "problem");
    this.#invitation = this.#verdict.dataset.invitation ?? "";
    if (this.#invitation) this.invite(); // a live table says what it waits for
  }

  /**
   * Show a text in the middle of the felt. A text that is already shown stays, so that a gain can finish counting up.
   * @param {string} title
   * @param {{ tone?: Tone, note?: string, gain?: Gain | null }} [options]
   */
  showVerdict(title, { tone = "", note = "", gain = null } = {}) {
    const shown = JSON.stringify([title, tone, note]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const words = createElement("strong", "", title);
    this.#verdict.className = `verdict ${tone}`;
    this.#verdict.replaceChildren(words);
    if (note) this.#verdict.append(createElement("small", "", note));
    if (gain) countUp(gain.units, (units) => { words.textContent = gain.write(units); });
  }

  /** Show again what the player must do first. */
  invite() {
    this.showVerdict(this.#invitation);
  }

  /**
   * Announce a text to screen readers, also if it equals the last one.
   * @param {string} text
   */
  say(text) {
    this.#said.textContent = this.#said.textContent === text ? `${text} ` : text;
  }

  /**
   * Show a problem, with a link if one helps.
   * @param {string} text
   * @param {HTMLElement | null} [help]
   */
  showProblem(text, help = null) {
    const shown = text || this.#lasting;
    if (text || this.#problem.textContent !== shown) this.#problem.textContent = shown; // a lasting problem is read out once
    if (help) this.#problem.append(" ", help);
  }

  /**
   * Show a problem until the call with an empty text. Other problems cover it for a while.
   * @param {string} text
   */
  showLasting(text) {
    if (text === this.#lasting) return;
    this.#lasting = text;
    this.clearProblem();
  }

  clearProblem() {
    this.showProblem("");
  }
}

/**
 * Return the tone for this payout and stake.
 * @param {bigint} staked
 * @param {bigint} back
 * @returns {Tone}
 */
export function chooseTone(staked, back) {
  if (back > staked) return "win";
  return back < staked ? "loss" : "push";
}
