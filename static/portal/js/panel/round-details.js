// @ts-check
/** A round that was opened in the list: its replay, its seeds, and its check in the browser. */

import { createCard } from "../cards.js";
import { countShown, dealRoundAgain, isAsDealt } from "../dealt-again.js";
import { createElement } from "../dom.js";
import { isFramed } from "../frame-session.js";
import { describeRefusal } from "../refusals.js";
import { StepView } from "../step-view.js";
import { tell } from "../words.js";

/**
 * @typedef {import("../dealt-again.js").RoundProof & { isAtTable: boolean, checkUrl: string }} Proof
 * @typedef {{ id: string, isOpen: boolean, steps: import("../step-view.js").Step[], proof: Proof }} RoundData
 * @typedef {import("./round-list.js").RoundRow} RoundRow
 * @typedef {import("./round-list.js").RoundListOptions} RoundListOptions
 */

/** @type {[step: string, words: string][]} */
const STEP_BUTTONS = [["first", "step-first"], ["back", "step-back"], ["next", "step-next"], ["last", "step-last"]];

export class RoundDetails {
  #box;
  #round;
  #options;
  #result = createElement("div", "check-result");

  /**
   * @param {HTMLElement} box
   * @param {RoundRow} round
   * @param {RoundListOptions} options
   */
  constructor(box, round, options) {
    this.#box = box;
    this.#round = round;
    this.#options = options;
    this.#result.setAttribute("aria-live", "polite");
  }

  /** Show the round; resolves with whether the server has sent it. */
  async open() {
    this.#box.textContent = tell("round-reading");
    const data = await this.#fetchRound();
    if (!data) {
      this.#box.textContent = describeRefusal("SERVICE_UNAVAILABLE");
      return false;
    }
    this.#box.replaceChildren(...createReplay(data.steps), createFacts(data.proof), this.#createCheck(data), this.#result, ...this.#createLink());
    return true;
  }

  /** @returns {Promise<RoundData | null>} */
  async #fetchRound() {
    try {
      const response = await fetch(`${this.#round.url}data`, { headers: { Accept: "application/json" } });
      return response.ok ? await response.json() : null;
    } catch {
      return null;
    }
  }

  /** @param {RoundData} data */
  #createCheck({ isOpen, proof }) {
    const box = createElement("p", "round-check");
    if (isOpen) {
      box.textContent = tell("verify-later");
      return box;
    }
    const button = createElement("button", "button small primary", tell(proof.serverSeed ? "verify-round" : "verify-reveal"));
    button.type = "button";
    button.addEventListener("click", async () => {
      if (button.ariaDisabled === "true") return;
      button.ariaDisabled = "true"; // and not `disabled`, which would take the focus away
      try {
        if (await this.#check()) button.textContent = tell("verify-round");
      } catch {
        this.#result.textContent = describeRefusal("SERVICE_UNAVAILABLE"); // the script that deals again was not loaded
      } finally {
        button.ariaDisabled = "false";
      }
    });
    box.append(button);
    return box;
  }

  /** Reveal the server seed if it is still secret, and deal the round again. Resolves with whether it was dealt. */
  async #check() {
    if (!window.crypto?.subtle) {
      this.#result.textContent = tell("crypto-needs-https");
      return false;
    }
    this.#result.textContent = tell("verify-dealing");
    let data = await this.#fetchRound();
    if (data && !data.proof.serverSeed && (await this.#options.changeSeed())) data = await this.#fetchRound();
    if (!data?.proof.serverSeed) {
      this.#result.textContent = tell(data ? "verify-secret" : "refused-SERVICE_UNAVAILABLE");
      return false;
    }
    const facts = createFacts(data.proof);
    this.#box.querySelector(".round-facts")?.replaceWith(facts);
    const { check } = this.#options;
    this.#result.replaceChildren(...(check ? await check(this.#round) : await this.#deal(data.proof)));
    return true;
  }

  /** @param {Proof} proof */
  async #deal(proof) {
    const game = await import(this.#options.redealUrl);
    const { round, isCommitted, isSame } = await dealRoundAgain(proof, game);
    const row = createElement("ol", "dealt-row");
    row.append(...round.cards.map((code, index) => {
      const item = createElement("li");
      item.append(createCard(code), createElement("span", "", round.labels[index]));
      item.classList.toggle("differs", !isAsDealt(code, proof.cards[index] ?? ""));
      return item;
    }));
    return [
      createNote(isCommitted ? "seed-committed" : "seed-not-committed", isCommitted),
      createNote(isSame ? "cards-yours" : "cards-not-yours", isSame, { count: String(countShown(proof.cards)) }),
      row,
    ];
  }

  #createLink() {
    const { page = this.#round.url } = this.#round;
    if (!page || isFramed) return []; // no frame may show the page, so the link would end the table
    const line = createElement("p", "round-link");
    const link = createElement("a", "", tell("round-page"));
    link.href = page;
    line.append(link);
    return [line];
  }
}

/** @param {import("../step-view.js").Step[]} steps */
function createReplay(steps) {
  if (!steps.length) return [];
  const buttons = createElement("div", "step-buttons");
  buttons.setAttribute("role", "group");
  buttons.setAttribute("aria-label", tell("round-replay"));
  for (const [step, words] of STEP_BUTTONS) {
    const button = createElement("button", "button small", tell(words));
    button.type = "button";
    button.dataset.step = step;
    buttons.append(button);
  }
  const cards = createElement("div", "felt-strip");
  const words = createElement("p", "step-words");
  words.setAttribute("aria-live", "polite");
  new StepView(steps, { buttons, cards, words }, (values) => tell("replay-step", values));
  return [cards, words, buttons];
}

/** @param {Proof} proof */
function createFacts({ commitment, clientSeed, nonce, serverSeed }) {
  const facts = createElement("dl", "facts round-facts");
  const rows = { "fact-commitment": commitment, "fact-client-seed": clientSeed, "fact-nonce": String(nonce), "fact-server-seed": serverSeed || tell("seed-secret") };
  for (const [words, value] of Object.entries(rows)) facts.append(createElement("dt", "", tell(words)), createElement("dd", "mono", value));
  return facts;
}

/**
 * @param {string} words
 * @param {boolean} isGood
 * @param {Record<string, string>} [values]
 */
function createNote(words, isGood, values = {}) {
  return createElement("p", isGood ? "note success" : "note error", tell(words, values));
}
