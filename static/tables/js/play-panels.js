// @ts-check
/**
 * The controls of a seated player: spots and chips in a window, the buttons of a decision, keys and other settings.
 * They are loaded with the seat.
 */

import { BetMemory } from "../../portal/js/bet-memory.js";
import { connectSettings } from "../../portal/js/table-settings.js";
import { ActionPanel } from "./action-panel.js";
import { AdviceLoader } from "./advice-loader.js";
import { BetPanel } from "./bet-panel.js";

/**
 * @typedef {import("./table-model.js").Json} Json
 * @typedef {import("./table-model.js").Offer} Offer
 * @typedef {import("./table-model.js").TableModel} TableModel
 * @typedef {import("./table-parts.js").PartsOptions} PartsOptions
 */

export class PlayPanels {
  #options;
  #bets;
  #actions;
  /** @type {AdviceLoader | null} */
  #advice = null;

  /**
   * @param {HTMLElement} root
   * @param {PartsOptions} options
   */
  constructor(root, options) {
    const { room, view, currency, clock, announcer, onAct } = options;
    this.#options = options;
    connectSettings(root, options.onKey);
    const common = { currency, onAct, onProblem: (/** @type {string} */ text) => announcer.showProblem(text) };
    const memory = new BetMemory(`live-${room.gameType}`, currency, { player: document.body.dataset.player ?? "" });
    this.#bets = new BetPanel(root, {
      ...common, view, memory, clock, findBalance: options.findBalance, onSaved: (text) => announcer.say(text),
    });
    this.#actions = new ActionPanel(root, common);
    const { loadAdvice } = view;
    if (!loadAdvice) return;
    const { tableUrl } = options;
    /** @type {import("./game-view.js").AdviceOptions["findUrl"]} */
    const findUrl = ({ roundId, isOver }) => (isOver ? `${tableUrl}rounds/${roundId}/advice` : `${tableUrl}advice`);
    this.#advice = new AdviceLoader(root, () => loadAdvice.call(view, { findUrl, store: `punto-hints-${room.id}` }));
  }

  /** The stakes on the spots. */
  get stakes() {
    return this.#bets.stakes;
  }

  showFunds() {
    this.#bets.showChips();
  }

  /** @param {string} key */
  press(key) {
    this.#bets.press(key);
    this.#actions.press(key);
  }

  /**
   * @param {Offer | null} window
   * @param {Json | null} seat
   */
  showBets(window, seat) {
    if (!window) this.#bets.remember(this.#readStakes(seat));
    this.#bets.show({
      windowId: window?.id ?? "",
      actions: window && seat ? window.actions : [],
      deadlineMs: window?.deadlineMs ?? 0,
      stakes: seat?.stakes ? this.#readStakes(seat) : null,
      isReady: Boolean(seat?.ready),
      isSeated: Boolean(seat),
      hasHands: Boolean(seat?.hands),
    });
  }

  /**
   * @param {TableModel} model
   * @param {Json | null} seat
   * @param {boolean} isBusy
   */
  showDecision(model, seat, isBusy) {
    const { request } = model;
    this.#actions.show(request && this.#createDecision(request), { isBusy });
    if (request && !isBusy) this.#advice?.follow({ round_id: request.id, isAsked: true, isOver: false });
    else this.#advice?.follow(findPlayedRound(model, seat));
  }

  /** @param {Offer} request */
  #createDecision({ actions, payload }) {
    const { view } = this.#options;
    return { actions, nameAction: (/** @type {Json} */ action) => view.nameAction(action, payload) };
  }

  /**
   * @param {Json | null} seat
   * @returns {Map<string, bigint>}
   */
  #readStakes(seat) {
    const { currency } = this.#options;
    return new Map(Object.entries(seat?.stakes ?? {}).map(([name, amount]) => [name, currency.parse(amount)]));
  }
}

/**
 * Return the place after the player's last round, until the cards of the next are dealt.
 * @param {TableModel} model
 * @param {Json | null} seat
 * @returns {import("./game-view.js").AdvicePlace | undefined}
 */
function findPlayedRound({ state, rounds }, seat) {
  const last = state?.phase === "playing" ? undefined : rounds.findLast(({ result }) => result);
  const isOwn = last?.result?.results.some((/** @type {Json} */ each) => each.playerId === seat?.playerId);
  return last && isOwn ? { round_id: last.roundId, isAsked: false, isOver: true } : undefined;
}
