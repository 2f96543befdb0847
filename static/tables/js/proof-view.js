// @ts-check
/** The last rounds of a table, each with its replay and its check in this browser, and the seeds of the next one. */

import { createCard } from "../../portal/js/cards.js";
import { createElement, findPart } from "../../portal/js/dom.js";
import { connectRounds } from "../../portal/js/panel/round-list.js";
import { tell } from "../../portal/js/words.js";
import { checkRound } from "./round-check.js";

/**
 * @typedef {import("../../portal/js/panel/round-list.js").RoundRow} RoundRow
 * @typedef {import("./side-panel.js").SidePanelOptions} SidePanelOptions
 * @typedef {import("./table-model.js").RoundNote} RoundNote
 * @typedef {import("./table-model.js").TableModel} TableModel
 */

export class ProofView {
  #options;
  #facts;
  #showRounds;
  #shown = "";
  /** The notes of this page on its rounds. @type {RoundNote[]} */
  #notes = [];

  /**
   * @param {HTMLElement} panel
   * @param {SidePanelOptions} options
   */
  constructor(panel, options) {
    this.#options = options;
    this.#facts = findPart(panel, "proof-facts");
    this.#showRounds = connectRounds(panel, {
      currency: options.currency, redealUrl: "", changeSeed: async () => false, check: (round) => this.#check(round),
    });
    const how = createElement("a", "", tell("proof-how"));
    how.href = options.howToUrl;
    findPart(panel, "proof-note").append(`${tell("proof-limits")} `, how);
  }

  /**
   * @param {TableModel} model
   * @param {string} contribution  this browser's contribution to the client seed; empty for none
   */
  async show({ state, rounds }, contribution) {
    this.#notes = rounds;
    const running = rounds.find(({ seed }) => !seed);
    const ended = rounds.filter(({ seed, result }) => seed && result).map(({ roundId }) => roundId);
    const signs = [running?.seedHash, contribution, ...ended].join();
    if (signs === this.#shown || !state) return;
    this.#shown = signs;
    this.#facts.replaceChildren();
    addFact(this.#facts, tell("proof-chain"), state.chainCommitment);
    addFact(this.#facts, tell("proof-commitment"), running?.seedHash || tell("proof-commitment-later"));
    addFact(this.#facts, tell("proof-contribution"), contribution || tell("proof-contribution-none"));
    const found = await fetchRounds(`${this.#options.tableUrl}rounds`);
    if (found) this.#showRounds(found);
  }

  /** @param {RoundRow} round */
  async #check({ id }) {
    const found = await this.#options.fetchRound(id);
    const record = { ...found.table, ...found };
    const note = this.#notes.find(({ roundId }) => roundId === id);
    const known = this.#options.findKnown(note ?? { roundId: id, roundNumber: "", seedHash: "", shoe: null, seed: "", result: null });
    const { checks, cards, labels } = await checkRound(record, this.#options.view, known);
    const notes = createElement("ul", "proof-checks");
    notes.append(...checks.map(({ text, isGood }) => createElement("li", isGood ? "good" : "bad", text)));
    const row = createElement("ol", "dealt-row");
    row.append(...cards.map((code, index) => {
      const item = createElement("li");
      item.append(createCard(code), createElement("span", "", labels[index]));
      return item;
    }));
    const facts = createElement("dl", "facts");
    addFact(facts, tell("proof-client-seed"), record.clientSeed || tell("proof-client-none"));
    addFact(facts, tell("proof-shoe"), record.shoe ? record.shoe.join(" ") : tell("proof-endless"));
    return [notes, ...(cards.length ? [row] : []), facts];
  }
}

/**
 * Return the rounds; null without a whole answer, since the next round reads them again.
 * @param {string} url
 * @returns {Promise<RoundRow[] | null>}
 */
async function fetchRounds(url) {
  try {
    const response = await fetch(url, { headers: { Accept: "application/json" } });
    return response.ok && !response.redirected ? (await response.json()).rounds : null;
  } catch {
    return null;
  }
}

/**
 * @param {HTMLElement} list
 * @param {string} name
 * @param {string} value
 */
function addFact(list, name, value) {
  list.append(createElement("dt", "", name), createElement("dd", "mono", value));
}
