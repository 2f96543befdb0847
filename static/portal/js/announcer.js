// @ts-check
/** A table's messages: the text in the middle of the felt, problems, and announcements for screen readers. */

import { createElement, findPart } from "./dom.js";

/** @typedef {"win" | "loss" | "push" | ""} Tone */

export class Announcer {
  #verdict;
  #said;
  #problem;
  #invitation;

  /** @param {HTMLElement} root  the table, whose felt says first what a player has to do */
  constructor(root) {
    this.#verdict = findPart(root, "verdict");
    this.#said = findPart(root, "said");
    this.#problem = findPart(root, "problem");
    this.#invitation = this.#verdict.textContent?.trim() ?? "";
  }

  /**
   * Show a text in the middle of the felt.
   * @param {string} title
   * @param {{ tone?: Tone, note?: string }} [options]
   */
  showVerdict(title, { tone = "", note = "" } = {}) {
    this.#verdict.className = `verdict ${tone}`;
    this.#verdict.replaceChildren(createElement("strong", "", title));
    if (note) this.#verdict.append(createElement("small", "", note));
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
    this.#problem.textContent = text;
    if (help) this.#problem.append(" ", help);
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
