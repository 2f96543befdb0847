// @ts-check
/** The panel beside a table: earlier rounds, the players, and parts that are loaded when they are opened. */

import { createElement, findElement, findPart } from "../../portal/js/dom.js";
import { tell } from "../../portal/js/words.js";

/**
 * @typedef {import("./game-view.js").GameView} GameView
 * @typedef {import("./round-check.js").KnownBefore} KnownBefore
 * @typedef {import("./table-model.js").Json} Json
 * @typedef {import("./table-model.js").RoundNote} RoundNote
 * @typedef {import("./table-model.js").TableModel} TableModel
 *
 * @typedef {object} SidePanelOptions
 * @property {GameView} view
 * @property {import("../../portal/js/currency.js").Currency} currency
 * @property {string} tableUrl  of the table's page
 * @property {(roundId: string) => Promise<Json>} fetchRound
 * @property {(round: RoundNote) => KnownBefore} findKnown
 * @property {string} howToUrl  of the page about fairness
 */

export class SidePanel {
  #view;
  #players;
  #playerCount;
  /** @type {import("./proof-view.js").ProofView | null} */
  #proof = null;
  /** @type {[model: TableModel, contribution: string] | null} */
  #shown = null;

  /**
   * @param {HTMLElement} table
   * @param {SidePanelOptions} options
   */
  constructor(table, options) {
    this.#view = options.view;
    this.#players = findPart(table, "players");
    this.#playerCount = findPart(table, "player-count");
    followOpening(table, "proof-panel", async (panel) => {
      const { ProofView } = await import("./proof-view.js"); // most pages never open it
      this.#proof = new ProofView(panel, options);
      if (this.#shown) this.#proof.show(...this.#shown);
    });
    const loadAbout = createOnce(() => showAbout(table, `${options.tableUrl}about`));
    followOpening(table, "odds-panel", loadAbout);
    followOpening(table, "rules-panel", loadAbout);
  }

  /**
   * @param {TableModel} model
   * @param {string} playerId
   * @param {string} contribution  this browser's contribution to the client seed; empty for none
   */
  show(model, playerId, contribution) {
    const { state } = model;
    if (!state) return;
    this.#shown = [model, contribution];
    this.#playerCount.textContent = String(state.seats.length);
    this.#players.replaceChildren(...state.seats.map((/** @type {Json} */ seat) => createPlayer(seat, playerId, model)));
    this.#view.showHistory(state);
    this.#proof?.show(model, contribution);
  }
}

/**
 * Call `open` when a part of the panel is opened for the first time.
 * @param {HTMLElement} table
 * @param {string} name
 * @param {(panel: HTMLElement) => void} open
 */
function followOpening(table, name, open) {
  const panel = findElement(table, `[data-part=${name}]`, HTMLDetailsElement);
  let isOpened = false;
  const follow = () => {
    if (!panel.open || isOpened) return;
    isOpened = true;
    open(panel);
  };
  panel.addEventListener("toggle", follow);
  follow();
}

/**
 * Return a function that runs once, however often it is called.
 * @param {() => void} run
 */
function createOnce(run) {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
}

/**
 * Show the complete odds and rules, which the server renders.
 * @param {HTMLElement} table
 * @param {string} url
 */
async function showAbout(table, url) {
  const response = await fetch(url).catch(() => null);
  const text = response?.ok && !response.redirected ? await response.text().catch(() => "") : "";
  if (!text) {
    for (const name of ["odds", "full-rules"]) findPart(table, name).textContent = tell("refused-SERVICE_UNAVAILABLE");
    return;
  }
  const about = new DOMParser().parseFromString(text, "text/html");
  findPart(table, "odds").replaceChildren(...findPart(about, "about-odds").children);
  findPart(table, "full-rules").replaceChildren(findPart(about, "about-rules"));
}

/**
 * @param {Json} seat
 * @param {string} playerId
 * @param {TableModel} model
 */
function createPlayer(seat, playerId, { contributions }) {
  const item = createElement("li");
  const name = seat.playerId === playerId ? tell("player-you", { name: seat.displayName }) : seat.displayName;
  const hasGiven = contributions.some((each) => each.seat === seat.seat);
  const who = tell("player-seat", { number: String(seat.seat), name });
  const part = tell(`${seat.bot ? "bot" : "player"}-gives${hasGiven ? "" : "-not"}`);
  item.append(createElement("strong", "", who), createElement("span", "dim", part));
  return item;
}
