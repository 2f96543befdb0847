// @ts-check
/**
 * Advice beside the table: basic strategy for the hand while it is switched on, the exact value of each move when the
 * player asks, and after a round the best play. The server computes it from the cards that the player sees.
 */

import { fetchAdvice } from "./advice-source.js";
import { HINTS_STORE, isHinting } from "./hints-setting.js";
import { describeTotal } from "./totals.js";
import { createElement, findButton, findPart } from "/static/portal/js/dom.js";
import { describeRefusal, Refusal } from "/static/portal/js/refusals.js";
import { writeStored } from "/static/portal/js/stored.js";
import { connectSwitch } from "/static/portal/js/switches.js";
import { tell } from "/static/portal/js/words.js";

/**
 * @typedef {import("./advice-source.js").Advice} Advice
 * @typedef {import("./advice-source.js").DecisionAdvice} DecisionAdvice
 */

/** The names of moves as the table's buttons have them, where they differ. */
const BUTTONS = new Map([["Insure", "Yes"], ["Decline", "No"]]);

export class AdvicePanel {
  #findUrl;
  #store;
  #acting;
  #said;
  #box;
  #ask;
  /** The shown round and its place. Answers about an earlier place are dropped. */
  #place = { roundId: "", isOver: false, number: 0 };

  /**
   * @param {HTMLElement} root  the table
   * @param {object} [options]
   * @param {ParentNode} [options.panel]  has the parts of advice
   * @param {(place: { roundId: string, isOver: boolean }) => string} [options.findUrl]
   * @param {string} [options.store]  the name that the switch is kept under
   */
  constructor(root, { panel = document, findUrl = ({ roundId }) => `/history/${roundId}/advice`, store = HINTS_STORE } = {}) {
    this.#findUrl = findUrl;
    this.#store = store;
    this.#acting = findPart(root, "acting");
    this.#said = findPart(root, "hint-said");
    this.#box = findPart(panel, "advice");
    this.#ask = findButton(panel, "advice-exact");
    const hints = findButton(panel, "hints");
    connectSwitch(hints, () => this.#isHinting, (on) => {
      writeStored(store, on ? "on" : "off");
      this.#follow();
    });
    hints.disabled = false;
    this.#ask.addEventListener("click", () => this.#show({ isExact: true }));
    this.#follow();
  }

  /** @param {import("./hints.js").RoundPlace} place */
  moveTo({ round_id: roundId, isAsked, isOver }) {
    this.#place = { roundId: isAsked || isOver ? roundId : "", isOver, number: this.#place.number + 1 };
    this.#follow();
  }

  get #isHinting() {
    return isHinting(this.#store);
  }

  /** Show the advice on the new place of the round. */
  #follow() {
    const { roundId } = this.#place;
    this.#mark("");
    this.#ask.disabled = !roundId;
    if (!this.#isHinting) this.#box.replaceChildren(createElement("p", "dim", tell("advice-off")));
    else if (roundId) this.#show({ isExact: this.#place.isOver });
    else this.#box.replaceChildren(createElement("p", "dim", tell("advice-none")));
  }

  /** @param {{ isExact: boolean }} options */
  async #show({ isExact }) {
    const { roundId, number } = this.#place;
    if (!roundId) return;
    if (isExact) this.#box.replaceChildren(createElement("p", "dim", tell("advice-computing")));
    try {
      const advice = await fetchAdvice(this.#findUrl(this.#place), { isExact, isWanted: () => this.#place.number === number });
      if (advice) this.#showAdvice(advice);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#box.replaceChildren(createElement("p", "problem", describeRefusal(error.code)));
    }
  }

  /** @param {Advice} advice */
  #showAdvice({ isOpen, decisions }) {
    if (isOpen) this.#showDecision(decisions[0]);
    else this.#box.replaceChildren(...createReview(decisions));
  }

  /** @param {DecisionAdvice | undefined} decision */
  #showDecision(decision) {
    if (!decision) {
      this.#box.replaceChildren(createElement("p", "dim", tell("advice-none")));
      return;
    }
    const hint = decision.basicStrategy && this.#isHinting ? tell("advice-hint", { move: nameMove(decision.basicStrategy) }) : "";
    this.#box.replaceChildren(createHand(decision), ...(hint ? [createElement("p", "advice-hint", hint)] : []), ...createValues(decision));
    if (hint) this.#mark(decision.basicStrategy ?? "");
    this.#said.textContent = hint;
  }

  /**
   * Mark the button of a move; none for an empty name.
   * @param {string} move
   */
  #mark(move) {
    this.#acting.dataset.advised = BUTTONS.get(move) ?? move;
    this.#said.textContent = "";
  }
}

/** @param {DecisionAdvice[]} decisions */
function createReview(decisions) {
  if (!decisions.length) return [createElement("p", "dim", tell("advice-nothing"))];
  const list = createElement("ol", "advice-review");
  for (const decision of decisions) {
    const { taken, best } = decision;
    const item = createElement("li");
    const words = { taken: nameMove(taken ?? ""), best: nameMove(best ?? "") };
    const isBest = taken === best;
    item.append(createHand(decision), createElement("p", isBest ? "plus" : "push-text", tell(isBest ? "advice-right" : "advice-best", words)), ...createValues(decision));
    list.append(item);
  }
  return [createElement("h2", "", tell("advice-review")), list];
}

/** @param {DecisionAdvice} decision */
function createHand({ cards, upcard }) {
  return createElement("p", "advice-hand", tell("advice-hand", { cards: describeTotal(cards, tell), upcard: describeTotal([upcard], tell) }));
}

/** @param {DecisionAdvice} decision */
function createValues({ values, best }) {
  if (!values) return [];
  const list = createElement("dl", "advice-values");
  const sorted = Object.entries(values).sort(([, one], [, other]) => Number(other) - Number(one));
  for (const [move, value] of sorted) {
    const row = createElement("div", move === best ? "best" : "");
    row.append(createElement("dt", "", nameMove(move)), createElement("dd", "", formatValue(value)));
    list.append(row);
  }
  return [createElement("p", "dim", tell("advice-values")), list];
}

/** @param {string} value */
function formatValue(value) {
  const text = Number(value).toLocaleString(document.documentElement.lang, { minimumFractionDigits: 6, maximumFractionDigits: 6, signDisplay: "always" });
  return text.replace("-", "−");
}

/** @param {string} move */
function nameMove(move) {
  return move ? tell(`advice-move-${move}`) : "";
}
