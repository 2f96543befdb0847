// @ts-check
/** One table on the page, watched or played from a seat. */

import { Announcer } from "../../portal/js/announcer.js";
import { ConnectionView } from "../../portal/js/connection-view.js";
import { Currency } from "../../portal/js/currency.js";
import { CONTROLS, createElement, findButton, findPart } from "../../portal/js/dom.js";
import { noteSent } from "../../portal/js/double-press.js";
import { parseExact } from "../../portal/js/money.js";
import { pauseForEye } from "../../portal/js/motion.js";
import { describeRefusal, Refusal } from "../../portal/js/refusals.js";
import { tell } from "../../portal/js/words.js";
import { LoggedOut } from "./credentials.js";
import { SeatKeeper } from "./seat-keeper.js";
import { StateSpeaker } from "./state-speaker.js";
import { TableParts } from "./table-parts.js";
import { applyMessage, clearRequest, EMPTY_MODEL, findSeat, hasEndedRound, hasNewResults, isEndOfRefusals } from "./table-model.js";
import { describeTable } from "./verdicts.js";
import { PROTOCOL_VERSION } from "./wire.js";

/**
 * @typedef {import("../../portal/js/connection-view.js").ConnectionState} ConnectionState
 * @typedef {import("./table-socket.js").TableSocket} TableSocket
 * @typedef {import("./rest.js").TableRest} TableRest
 * @typedef {import("./table-model.js").Json} Json
 * @typedef {import("./table-model.js").TableModel} TableModel
 * @typedef {import("./wire.js").Message} Message
 *
 * The objects that the tables of a page share.
 * @typedef {object} Hub
 * @property {Json} page  the data of the page
 * @property {TableSocket} socket
 * @property {TableRest} rest
 * @property {import("./money-offers.js").MoneyOffers} offers
 * @property {import("./credentials.js").CredentialStore} credentials
 * @property {string} playerId  this player's; empty before the log-in
 * @property {string} balance  of this player's wallet, without the stakes; empty before the log-in
 * @property {() => HTMLElement} createLoginLink
 * @property {(table: LiveTable) => boolean} isForKeys  whether keys act on this table
 * @property {(table: LiveTable) => void} holdBalance  while cards are shown, since the balance would reveal the result
 *   before them
 * @property {(table: LiveTable) => void} releaseBalance
 */

const QUEUE_SHOWN_ONE_BY_ONE = 8;

export class LiveTable {
  #hub;
  #announcer;
  #speaker;
  #connection;
  #id;
  #keeper;
  /** @type {TableModel} */
  #model = EMPTY_MODEL;
  /** @type {Message[]} */
  #queue = [];
  /** @type {TableParts | null} */
  #parts = null;
  #isShowing = false;
  #isActing = false;
  #isOpening = false;
  /** The table's parts, which are being made. @type {Promise<void> | null} */
  #layout = null;

  /**
   * @param {HTMLElement} root
   * @param {string} id
   * @param {Hub} hub
   */
  constructor(root, id, hub) {
    this.root = root;
    this.#id = id;
    this.#hub = hub;
    this.#keeper = new SeatKeeper(id, hub);
    this.#announcer = new Announcer(root);
    this.#speaker = new StateSpeaker(this.#announcer);
    this.#connection = new ConnectionView(root, {
      createLoginLink: hub.createLoginLink, onPlayHere: () => hub.socket.start(),
    });
    findButton(root, "leave").addEventListener("click", () => this.#leaveSeat());
    findButton(root, "sit").addEventListener("click", () => this.#takeSeat());
    const known = hub.page.rooms[id];
    if (known) this.#prepare(parseExact(known)).catch(() => null);
  }

  /** Whether this player is asked for a decision. */
  get isAsked() {
    return Boolean(this.#model.request);
  }

  /** Follow the table; its state comes over the socket. */
  async open() {
    if (this.#isOpening) return;
    this.#isOpening = true;
    try {
      const room = await this.#hub.rest.followTable(this.#id);
      await this.#prepare(room);
      this.#showNext();
    } catch (error) {
      if (error instanceof Refusal && error.status === 404) showMissing(this.root, this.#hub.page.lobbyUrl);
      else if (error instanceof LoggedOut) this.showConnection("over");
      else if (error instanceof Refusal) this.#announcer.showProblem(describeRefusal(error.code));
      else throw error;
    } finally {
      this.#isOpening = false;
    }
  }

  /** @param {ConnectionState} state */
  showConnection(state) {
    this.#connection.show(state);
  }

  /**
   * Take a message of the table. Its cards are shown before the next message.
   * @param {Message} message
   */
  receive(message) {
    if (message.type !== "game_error") this.#queue.push(message);
    this.#showNext();
  }

  /** Show which chips the balance covers. */
  showFunds() {
    this.#parts?.showFunds();
  }

  /** @param {string} key */
  pressKey(key) {
    const isForFocus = key === " " && document.activeElement?.matches(CONTROLS);
    if (!isForFocus && this.#hub.isForKeys(this)) this.#parts?.press(key);
  }

  /**
   * Create the table's parts once. Without a network the next connection tries again.
   * @param {Json} room
   */
  #prepare(room) {
    this.#layout ??= this.#layOut(room).catch((error) => {
      this.#layout = null;
      throw error;
    });
    return this.#layout;
  }

  /** @param {Json} room */
  async #layOut(room) {
    const { page, rest, socket } = this.#hub;
    const game = page.games[room.gameType];
    const isPoints = !room.currency;
    const currency = isPoints ? new Currency(tell("live-unit-points"), 0) : new Currency(room.currency, page.decimals);
    findPart(this.root, "name").textContent = room.name;
    const module = await import(game.view);
    const view = module.createView({ table: this.root, currency, room, bets: game.bets, sides: game.sides });
    this.root.dataset.game = room.gameType;
    findPart(this.root, "session").hidden = isPoints;
    this.#hub.offers.place(this.root, isPoints);
    if (page.off.includes(this.#id)) this.#announcer.showLasting(tell("refused-GAME_DISABLED"));
    document.title = document.querySelectorAll("[data-part=table]").length > 1 ? document.title : `${room.name} · Punto`;
    this.#parts = new TableParts(this.root, {
      room, game, view, currency, isPoints, clock: socket.clock, announcer: this.#announcer,
      findBalance: () => (isPoints || !this.#hub.balance ? null : currency.parse(this.#hub.balance)),
      onTake: (seat) => this.#takeSeat(seat),
      onAct: (payload) => this.#act(payload),
      onKey: (key) => this.pressKey(key),
      onLoad: () => this.#show(),
      fetchRound: (roundId) => rest.fetchRound(this.#id, roundId),
      findKnown: (round) => ({
        seedHash: round.seedHash,
        chainCommitment: this.#model.state?.chainCommitment ?? "",
        chainFirstRound: Number(this.#model.state?.chainFirstRound ?? 1),
        given: this.#keeper.given,
        hasGiven: this.#keeper.hasGiven(round.roundId),
      }),
      tableUrl: `${page.lobbyUrl}${this.#id}/`,
      howToUrl: page.verifyUrl,
    });
  }

  async #showNext() {
    if (this.#isShowing || !this.#parts) return;
    this.#isShowing = true;
    let hasEnded = false;
    for (let message = this.#queue.shift(); message; message = this.#queue.shift()) {
      const before = this.#model;
      this.#model = applyMessage(before, message);
      if (this.#isSeated) this.#keeper.noteWindow(message);
      const isInstant = message.type === "reconnect_state" || this.#queue.length > QUEUE_SHOWN_ONE_BY_ONE || document.hidden;
      hasEnded ||= message.type === "round_result" || hasEndedRound(before, this.#model);
      if (isEndOfRefusals(message)) this.#announcer.clearProblem();
      const ms = this.#showCards(isInstant);
      if (ms) {
        this.#hub.holdBalance(this);
        this.#announcer.showVerdict(tell("live-dealing"));
        this.#parts?.endCountdown();
        await pauseForEye(ms);
      }
      this.#show({ isEnding: !isInstant && hasNewResults(before, this.#model) });
    }
    this.#isShowing = false;
    this.#hub.releaseBalance(this);
    if (hasEnded) this.#hub.socket.tell({ type: "balance_query" });
  }

  /**
   * Draw the cards, and the result only after all cards are shown.
   * @param {boolean} isInstant
   */
  #showCards(isInstant) {
    const { state } = this.#model;
    if (!state || !this.#parts) return 0;
    return this.#parts.showCards({ ...state, results: [], winner: undefined }, this.#viewer, isInstant);
  }

  get #viewer() {
    const { playerId } = this.#hub;
    const seat = findSeat(this.#model, playerId);
    const isLeaving = Boolean(seat) && this.#keeper.isLeaving;
    return { playerId, seat, isActing: this.#isActing, isElsewhere: Boolean(seat) && !this.#keeper.hasSeat, isLeaving };
  }

  get #isSeated() {
    const { seat, isElsewhere } = this.#viewer;
    return Boolean(seat) && !isElsewhere;
  }

  /** @param {{ isEnding?: boolean }} [options]  `isEnding`: the round ends before the player's eyes */
  #show({ isEnding = false } = {}) {
    const { state } = this.#model;
    if (!state || !this.#parts) return;
    const viewer = this.#viewer;
    const verdict = describeTable(this.#model, { ...viewer, ...this.#parts.describe(this.#model, viewer) });
    this.#announcer.showVerdict(verdict.title, isEnding ? verdict : { ...verdict, gain: null });
    this.#parts.show(this.#model, viewer, viewer.seat ? this.#keeper.read(state.chainCommitment) : "");
    if (isEnding) this.#parts.showPayouts(state, viewer);
    this.root.dataset.role = viewer.seat ? "seated" : "watching";
    this.root.dataset.phase = state.phase;
    this.#speaker.tell(this.#model, { words: `${verdict.title} ${verdict.note}`, cards: this.#parts.describeCards(this.#model, viewer) });
    if (this.#isSeated) this.#ask(() => this.#keeper.giveAnew(state.chainCommitment));
  }

  /**
   * Send an action; resolves with whether the server accepted it.
   * @param {Record<string, unknown>} payload
   */
  async #act(payload) {
    const { request, window } = this.#model;
    const offer = request ?? window;
    const lateCode = request ? "TIMEOUT" : "BETTING_WINDOW_CLOSED";
    this.#announcer.clearProblem();
    this.#isActing = Boolean(request);
    if (request || payload.action === "ready") noteSent(); // chips are placed as fast as one can click
    if (request) this.#show();
    const answer = await this.#hub.socket.ask({
      type: "submit_action", gameType: this.root.dataset.game, tableId: this.#id, protocolVersion: PROTOCOL_VERSION, payload,
    }, offer && { id: offer.id, lateCode });
    this.#isActing = false;
    const isTaken = answer.type === "ack";
    if (isTaken && request) this.#model = clearRequest(this.#model, request.id);
    if (!isTaken) this.#announcer.showProblem(describeRefusal(answer.code));
    else if (payload.action === "place_bet") this.#announcer.showLasting(""); // the switch is on again
    if (request) this.#show();
    if (isTaken) this.#hub.socket.tell({ type: "balance_query" });
    return isTaken;
  }

  async #leaveSeat() {
    this.#announcer.clearProblem();
    if (await this.#ask(() => this.#keeper.leave())) this.#show();
  }

  /** @param {number} [seat]  the first free one by default */
  async #takeSeat(seat) {
    this.#announcer.clearProblem();
    const { state } = this.#model;
    this.#parts?.loadPlay();
    if (state && (await this.#ask(() => this.#keeper.take(state.chainCommitment, seat)))) this.#show();
  }

  /**
   * Send a request to the lobby; resolves with whether it succeeded.
   * @param {() => Promise<unknown>} ask
   */
  async #ask(ask) {
    try {
      await ask();
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#announcer.showProblem(describeRefusal(error.code));
      return false;
    }
  }
}

/**
 * Say that there is no such table.
 * @param {HTMLElement} root
 * @param {string} lobbyUrl
 */
function showMissing(root, lobbyUrl) {
  const note = findPart(root, "missing");
  const link = createElement("a", "", tell("live-open-tables"));
  link.href = lobbyUrl;
  note.replaceChildren(`${tell("live-missing")} `, link);
  note.hidden = false;
  for (const part of ["tools", "rail", "about"]) findPart(root, part).hidden = true;
}
