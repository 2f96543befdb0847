// @ts-check
/** The panel beside a table: players, rules, and the last rounds with the data to check them. */

import { createCard } from "../../portal/js/cards.js";
import { createElement, findPart } from "../../portal/js/dom.js";
import { checkRound } from "./round-check.js";

/**
 * @typedef {import("./game-view.js").GameView} GameView
 * @typedef {import("./round-check.js").KnownBefore} KnownBefore
 * @typedef {import("./table-model.js").Json} Json
 * @typedef {import("./table-model.js").RoundNote} RoundNote
 * @typedef {import("./table-model.js").TableModel} TableModel
 *
 * @typedef {object} SidePanelOptions
 * @property {GameView} view
 * @property {(roundId: string) => Promise<Json>} fetchRound
 * @property {(round: RoundNote) => KnownBefore} findKnown
 * @property {string} howToUrl  of the page about fairness
 */

export class SidePanel {
  #options;
  #players;
  #playerCount;
  #proof;
  #shownRounds = "";
  /** By round, so that what was checked stays when another round has ended. @type {Map<string, HTMLElement>} */
  #items = new Map();

  /**
   * @param {HTMLElement} table
   * @param {SidePanelOptions} options
   */
  constructor(table, options) {
    this.#options = options;
    this.#players = findPart(table, "players");
    this.#playerCount = findPart(table, "player-count");
    this.#proof = findPart(table, "proof");
  }

  /**
   * @param {TableModel} model
   * @param {string} playerId
   * @param {string} contribution  what this browser gives to the client seed; empty for nothing
   */
  show(model, playerId, contribution) {
    const { state } = model;
    if (!state) return;
    this.#playerCount.textContent = String(state.seats.length);
    this.#players.replaceChildren(...state.seats.map((/** @type {Json} */ seat) => createPlayer(seat, playerId, model)));
    this.#showProof(model, contribution);
  }

  /**
   * @param {TableModel} model
   * @param {string} contribution
   */
  #showProof(model, contribution) {
    const { state, rounds } = model;
    const running = rounds.find(({ seed }) => !seed);
    const signs = [running?.seedHash, contribution, ...rounds.map(({ roundId, seed }) => `${roundId}${seed}`)].join();
    if (signs === this.#shownRounds || !state) return;
    this.#shownRounds = signs;
    const facts = createElement("dl", "facts");
    addFact(facts, "Chain, published before its first round", state.chainCommitment);
    addFact(facts, "This round's commitment", running?.seedHash || "Follows when the bets open.");
    addFact(facts, "This browser contributes", contribution || "Nothing: take a seat to take part.");
    const list = createElement("ol", "proof-rounds");
    list.append(...rounds.filter(({ seed }) => seed).reverse().map((round) => this.#findItem(round)));
    const how = createElement("a", "", "How rounds are checked");
    how.href = this.#options.howToUrl;
    const text = createElement("p", "dim", "Each round's seed is revealed when it is over. Whoever holds seed and seat could still choose by contribution, stake, action or timing. ");
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
    const button = createElement("button", "button small", "Check this round");
    button.type = "button";
    button.setAttribute("aria-label", `Check round ${round.roundNumber}`);
    const output = createElement("div", "proof-output");
    output.setAttribute("aria-live", "polite");
    button.addEventListener("click", () => this.#check(round, output));
    const words = round.result ? `Round ${round.roundNumber}` : `Round ${round.roundNumber}, nobody staked`;
    item.append(createElement("span", "", words), " ", button, output);
    return item;
  }

  /**
   * @param {RoundNote} round
   * @param {HTMLElement} output
   */
  async #check(round, output) {
    output.textContent = "Dealing again ...";
    try {
      if (!window.crypto?.subtle) throw new Error("This browser offers Web Crypto only over HTTPS: open the page by its https address.");
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
      output.textContent = error instanceof Error ? error.message : String(error);
    }
  }
}

/** @param {Json} record */
function createRecord({ seed, seedHash, clientSeed, nonce, shoe }) {
  const facts = createElement("dl", "facts");
  addFact(facts, "Server seed", seed);
  addFact(facts, "Its commitment", seedHash);
  addFact(facts, "Client seed", clientSeed || "(empty: nobody contributed)");
  addFact(facts, "Nonce", nonce);
  addFact(facts, "Cards of each face before", shoe ? shoe.join(" ") : "An endless shoe");
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

/**
 * @param {Json} seat
 * @param {string} playerId
 * @param {TableModel} model
 */
function createPlayer(seat, playerId, { contributions }) {
  const item = createElement("li");
  const you = seat.playerId === playerId ? " (you)" : "";
  const bot = seat.bot ? ", a practice bot" : "";
  const hasGiven = contributions.some((each) => each.seat === seat.seat);
  const part = hasGiven ? "contributes to the seeds" : "contributes nothing to the seeds";
  item.append(createElement("strong", "", `Seat ${seat.seat}: ${seat.displayName}${you}`), createElement("span", "dim", `${bot ? "A practice bot" : "A player"}; ${part}`));
  return item;
}
