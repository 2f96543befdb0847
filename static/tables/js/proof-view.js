// @ts-check
/** The last rounds of a table with the data to check them, and their check in this browser. */

import { createCard } from "../../portal/js/cards.js";
import { createElement } from "../../portal/js/dom.js";
import { describeRefusal, Refusal } from "../../portal/js/refusals.js";
import { tell } from "../../portal/js/words.js";
import { checkRound } from "./round-check.js";

/**
 * @typedef {import("./side-panel.js").SidePanelOptions} SidePanelOptions
 * @typedef {import("./table-model.js").Json} Json
 * @typedef {import("./table-model.js").RoundNote} RoundNote
 * @typedef {import("./table-model.js").TableModel} TableModel
 */

export class ProofView {
  #options;
  #proof;
  #shownRounds = "";
  /** By round, so that what was checked stays when another round has ended. @type {Map<string, HTMLElement>} */
  #items = new Map();

  /**
   * @param {HTMLElement} box
   * @param {SidePanelOptions} options
   */
  constructor(box, options) {
    this.#proof = box;
    this.#options = options;
  }

  /**
   * @param {TableModel} model
   * @param {string} contribution  what this browser gives to the client seed; empty for nothing
   */
  show(model, contribution) {
    const { state, rounds } = model;
    const running = rounds.find(({ seed }) => !seed);
    const signs = [running?.seedHash, contribution, ...rounds.map(({ roundId, seed }) => `${roundId}${seed}`)].join();
    if (signs === this.#shownRounds || !state) return;
    this.#shownRounds = signs;
    const facts = createElement("dl", "facts");
    addFact(facts, tell("proof-chain"), state.chainCommitment);
    addFact(facts, tell("proof-commitment"), running?.seedHash || tell("proof-commitment-later"));
    addFact(facts, tell("proof-contribution"), contribution || tell("proof-contribution-none"));
    const list = createElement("ol", "proof-rounds");
    list.append(...rounds.filter(({ seed }) => seed).reverse().map((round) => this.#findItem(round)));
    const how = createElement("a", "", tell("proof-how"));
    how.href = this.#options.howToUrl;
    const text = createElement("p", "dim", `${tell("proof-limits")} `);
    text.append(how);
    const focused = document.activeElement;
    this.#proof.replaceChildren(facts, list, text);
    if (focused instanceof HTMLElement && list.contains(focused)) focused.focus({ preventScroll: true });
  }

  /** @param {RoundNote} round */
  #findItem(round) {
    const item = this.#items.get(round.roundId) ?? this.#createRound(round);
    this.#items.set(round.roundId, item);
    return item;
  }

  /** @param {RoundNote} round */
  #createRound(round) {
    const item = createElement("li");
    const button = createElement("button", "button small", tell("proof-check"));
    button.type = "button";
    button.setAttribute("aria-label", tell("proof-check-number", { number: String(round.roundNumber) }));
    const output = createElement("div", "proof-output");
    output.setAttribute("aria-live", "polite");
    button.addEventListener("click", () => this.#check(round, output));
    const words = tell(round.result ? "proof-round" : "proof-round-empty", { number: String(round.roundNumber) });
    item.append(createElement("span", "", words), " ", button, output);
    return item;
  }

  /**
   * @param {RoundNote} round
   * @param {HTMLElement} output
   */
  async #check(round, output) {
    output.textContent = tell("proof-dealing");
    try {
      if (!window.crypto?.subtle) throw new Error(tell("live-crypto-needs-https"));
      const found = await this.#options.fetchRound(round.roundId);
      const record = { ...found.table, ...found };
      const { checks, cards, labels } = await checkRound(record, this.#options.view, this.#options.findKnown(round));
      const notes = createElement("ul", "proof-checks");
      notes.append(...checks.map(({ text, isGood }) => createElement("li", isGood ? "good" : "bad", text)));
      const row = createElement("ol", "dealt-row");
      cards.forEach((code, index) => {
        const item = createElement("li");
        item.append(createCard(code), createElement("span", "", labels[index]));
        row.append(item);
      });
      output.replaceChildren(notes, ...(cards.length ? [row] : []), createRecord(record));
    } catch (error) {
      output.textContent = error instanceof Refusal ? describeRefusal(error.code) : String(error instanceof Error ? error.message : error);
    }
  }
}

/** @param {Json} record */
function createRecord({ seed, seedHash, clientSeed, nonce, shoe }) {
  const facts = createElement("dl", "facts");
  addFact(facts, tell("proof-server-seed"), seed);
  addFact(facts, tell("proof-its-commitment"), seedHash);
  addFact(facts, tell("proof-client-seed"), clientSeed || tell("proof-client-none"));
  addFact(facts, tell("proof-nonce"), nonce);
  addFact(facts, tell("proof-shoe"), shoe ? shoe.join(" ") : tell("proof-endless"));
  return facts;
}

/**
 * @param {HTMLElement} list
 * @param {string} name
 * @param {string} value
 */
function addFact(list, name, value) {
  list.append(createElement("dt", "", name), createElement("dd", "mono", value));
}
