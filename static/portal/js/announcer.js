// @ts-check
/** What a table tells its player: the words in the middle of the felt, a problem, and what a screen reader says. */

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
   * Show words in the middle of the felt.
   * @param {string} title
   * @param {{ tone?: Tone, note?: string }} [options]
   */
  showVerdict(title, { tone = "", note = "" } = {}) {
    this.#verdict.className = `verdict ${tone}`;
    this.#verdict.replaceChildren(createElement("strong", "", title));
    if (note) this.#verdict.append(createElement("small", "", note));
  }

  /** Say again what a player has to do first. */
  invite() {
    this.showVerdict(this.#invitation);
  }

  /**
   * Say something to screen readers; the same words twice are said twice.
   * @param {string} text
   */
  say(text) {
    this.#said.textContent = this.#said.textContent === text ? `${text} ` : text;
  }

  /**
   * Show what is wrong, and a link that helps where there is one.
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
 * Return the tone of what came back for what was staked.
 * @param {bigint} staked
 * @param {bigint} back
 * @returns {Tone}
 */
export function chooseTone(staked, back) {
  if (back > staked) return "win";
  return back < staked ? "loss" : "push";
}
