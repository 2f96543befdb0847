// @ts-check
/**
 * The parts of a table on the page: seats, spots, decisions, countdown, side panel. Each part shows the current model.
 */

import { findButton, findElement, findPart } from "../../portal/js/dom.js";
import { tell } from "../../portal/js/words.js";
import { chooseCountdown, readTimes } from "./countdown-choice.js";
import { CountdownView } from "./countdown-view.js";
import { showRoom } from "./room-facts.js";
import { SeatList } from "./seat-list.js";
import { findRound } from "./table-model.js";

/**
 * @typedef {import("../../portal/js/announcer.js").Announcer} Announcer
 * @typedef {import("../../portal/js/currency.js").Currency} Currency
 * @typedef {import("./game-view.js").GameView} GameView
 * @typedef {import("./table-model.js").Json} Json
 * @typedef {import("./table-model.js").RoundNote} RoundNote
 * @typedef {import("./table-model.js").TableModel} TableModel
 *
 * The viewer of the table. `isElsewhere`: this window does not play the player's seat. `isLeaving`: the player has left
 * it, and it stays until its stake is settled; otherwise another window has it.
 * @typedef {{ playerId: string, seat: Json | null, isActing: boolean, isElsewhere: boolean, isLeaving: boolean }} Viewer
 *
 * @typedef {object} PartsOptions
 * @property {Json} room
 * @property {Json} game  the page's data about it
 * @property {GameView} view
 * @property {Currency} currency
 * @property {boolean} isPoints
 * @property {import("./wire.js").ServerClock} clock
 * @property {Announcer} announcer
 * @property {() => bigint | null} findBalance  the amount that can still be staked; null without a limit
 * @property {(seat: number) => void} onTake
 * @property {(payload: Record<string, unknown>) => Promise<boolean>} onAct
 * @property {(key: string) => void} onKey
 * @property {() => void} onLoad  called when a missing part has loaded
 * @property {(roundId: string) => Promise<Json>} fetchRound
 * @property {(round: RoundNote) => import("./round-check.js").KnownBefore} findKnown
 * @property {string} tableUrl  of the table's page
 * @property {string} howToUrl
 */

export class TableParts {
  #root;
  #options;
  #seats;
  /** @type {Promise<import("./round-effects.js").RoundEffects | null> | null} */
  #effects = null;
  /** The parts that need a seat, and the settings. @type {import("./play-panels.js").PlayPanels | null} */
  #play = null;
  #isLoadingPlay = false;
  #countdown;
  /** @type {import("./side-panel.js").SidePanel | null} */
  #side = null;
  /** @type {Parameters<import("./side-panel.js").SidePanel["show"]> | null} */
  #beside = null;

  /**
   * @param {HTMLElement} root
   * @param {PartsOptions} options
   */
  constructor(root, options) {
    const { room, view, currency, isPoints, clock, announcer } = options;
    this.#root = root;
    this.#options = options;
    showRoom(root, options);
    this.#countdown = new CountdownView(root, { clock, say: (text) => announcer.say(text) });
    this.#seats = new SeatList(root, {
      seatCount: Number(room.maxPlayers), currency, isPoints, view, clock, onTake: options.onTake,
      turnMs: readTimes(room).turnMs,
    });
    this.#followSight();
    findElement(root, ".settings", HTMLDetailsElement).addEventListener("toggle", () => this.loadPlay());
    root.addEventListener("animationstart", async ({ animationName }) => {
      if (animationName === "card-deal") (await this.#loadEffects())?.playCard();
    });
    this.showFunds();
  }

  /**
   * Draw the cards; returns how many milliseconds they take.
   * @param {Json} state
   * @param {Viewer} viewer
   * @param {boolean} isInstant
   */
  showCards(state, viewer, isInstant) {
    this.#drawWithFocus(() => this.#showSeats(state, viewer, isInstant));
    return this.#options.view.show(state, { isInstant });
  }

  /**
   * @param {TableModel} model
   * @param {Viewer} viewer
   * @param {string} contribution
   */
  show(model, viewer, contribution) {
    this.#drawWithFocus(() => this.#show(model, viewer));
    this.#beside = [model, viewer.playerId, contribution];
    this.#side?.show(...this.#beside);
  }

  /**
   * @param {TableModel} model
   * @param {Viewer} viewer
   */
  #show(model, viewer) {
    const { state, window } = model;
    if (!state) return;
    this.#options.view.show(state, { isInstant: true });
    const own = viewer.isElsewhere ? null : viewer.seat;
    if (own) this.loadPlay();
    this.#play?.showBets(window, own);
    this.#showSeats(state, viewer, true);
    this.#play?.showDecision(model, own, viewer.isActing);
    this.#countdown.show(chooseCountdown(model, own, readTimes(this.#options.room)), state.phase === "waiting" ? tell("live-waiting") : "");
    this.#showWatching(state, viewer);
    this.#root.toggleAttribute("data-staked", state.phase !== "pause" && this.#hasStake(own));
  }

  /**
   * Draw, and if the control that a key has reached is gone then, focus the seats. Else the focus would be nowhere, and a
   * screen reader at the beginning of the page.
   * @param {() => void} draw
   */
  #drawWithFocus(draw) {
    const before = document.activeElement;
    const isKept = before instanceof HTMLElement && this.#root.contains(before) && before.matches(":focus-visible");
    draw();
    if (!isKept || before.checkVisibility()) return;
    if ([before, document.body].some((element) => element === document.activeElement)) this.#seats.focus();
  }

  /**
   * Move the chips of a round whose end the player watches.
   * @param {Json} state  with results
   * @param {Viewer} viewer
   */
  async showPayouts({ results }, { playerId }) {
    (await this.#loadEffects())?.showPayouts(results, playerId);
  }

  /** While cards are shown nothing counts down. */
  endCountdown() {
    this.#countdown.show(null);
  }

  /** Load the effects of rounds with the first card that is dealt. */
  #loadEffects() {
    this.#effects ??= import("./round-effects.js").then(({ RoundEffects }) => new RoundEffects(this.#root, this.#options)).catch(() => {
      this.#effects = null; // without a network; the next card tries again
      return null;
    });
    return this.#effects;
  }

  /** Load the controls of a seated player, and the settings. */
  async loadPlay() {
    if (this.#isLoadingPlay) return;
    this.#isLoadingPlay = true;
    const module = await import("./play-panels.js").catch(() => null); // a watcher's page never loads it
    this.#isLoadingPlay = Boolean(module);
    if (!module) return; // without a network; the next message of the table tries again
    this.#play = new module.PlayPanels(this.#root, this.#options);
    this.#options.onLoad();
  }

  /** Load the panel beside the table when it is in sight. On phones it is below the table. */
  #followSight() {
    const sight = new IntersectionObserver(async (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      sight.disconnect();
      const { SidePanel } = await import("./side-panel.js");
      this.#side = new SidePanel(this.#root, this.#options);
      if (this.#beside) this.#side.show(...this.#beside);
    });
    sight.observe(findPart(this.#root, "history-panel"));
  }

  /**
   * Return the data for the middle of the felt.
   * @param {TableModel} model
   * @param {Viewer} viewer
   */
  describe({ state, request, rounds }, { seat }) {
    const { view, currency } = this.#options;
    return {
      currency,
      hasStake: this.#hasStake(seat),
      question: request ? view.describeQuestion(request.payload, findRound(rounds, request.payload.roundId)?.shoe ?? null) : "",
      ending: state ? view.describeResult(state) : "",
    };
  }

  /**
   * @param {TableModel} model
   * @param {Viewer} viewer
   */
  describeCards({ state }, { seat }) {
    return state ? this.#options.view.describeCards(state, seat) : "";
  }

  /** @param {Json | null} seat */
  #hasStake(seat) {
    return Boolean(seat?.staked) || Boolean(this.#play?.stakes.size);
  }

  /** Show which bets the balance covers. */
  showFunds() {
    const { room, currency, findBalance } = this.#options;
    const balance = findBalance();
    this.#root.toggleAttribute("data-broke", balance !== null && balance < currency.parse(room.minBuyin));
    this.#play?.showFunds();
  }

  /** @param {string} key */
  press(key) {
    this.#play?.press(key);
  }

  /**
   * @param {Json} state
   * @param {Viewer} viewer
   * @param {boolean} isInstant
   */
  #showSeats(state, viewer, isInstant) {
    const ownStakes = viewer.seat?.stakes ? null : (this.#play?.stakes ?? null);
    this.#seats.show(state, { playerId: viewer.playerId, ownStakes, canTake: this.#canTake(state, viewer), isInstant });
  }

  /**
   * @param {Json} state
   * @param {Viewer} viewer
   */
  #canTake(state, { playerId, seat }) {
    return Boolean(playerId) && !seat && state.phase !== "closed" && !state.isClosing && !this.#isFull(state);
  }

  /** @param {Json} state */
  #isFull(state) {
    return state.seats.length >= Number(this.#options.room.maxPlayers);
  }

  /**
   * Show what the player can do without a bet or a decision: take a seat, leave it, or wait.
   * @param {Json} state
   * @param {Viewer} viewer
   */
  #showWatching(state, viewer) {
    const { seat, isElsewhere, isLeaving } = viewer;
    const isBusy = ["betting", "acting"].some((part) => !findPart(this.#root, part).hidden);
    const isClosed = state.phase === "closed";
    const sit = findButton(this.#root, "sit");
    findButton(this.#root, "leave").hidden = !seat || isLeaving;
    findPart(this.#root, "watching").hidden = isBusy;
    sit.hidden = isClosed || (Boolean(seat) && !isElsewhere);
    sit.disabled = !isElsewhere && !this.#canTake(state, viewer);
    sit.textContent = tell(isElsewhere && !isLeaving ? "play-here" : "live-take-seat");
    findPart(this.#root, "watching-text").textContent = this.#describeWatching(state, viewer);
    findPart(this.#root, "open-tables").hidden = !isClosed;
  }

  /**
   * @param {Json} state
   * @param {Viewer} viewer
   */
  #describeWatching(state, { playerId, seat, isElsewhere, isLeaving }) {
    const left = tell(isLeaving ? "live-seat-left" : "live-seat-elsewhere");
    const seated = isElsewhere ? left : tell("live-your-seat", { number: String(seat?.seat) });
    if (state.isClosing) return seat ? `${seated} ${tell("live-closing")}` : tell("live-closing");
    const full = playerId && this.#isFull(state) ? "refused-TABLE_FULL" : "live-watching";
    return seat ? seated : tell(state.phase === "closed" ? "phase-closed" : full);
  }
}
