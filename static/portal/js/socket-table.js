// @ts-check
/**
 * A table where a round has several actions, each sent over a socket and answered. A game defines its actions and shows
 * their answers.
 */

import { ConnectionView } from "./connection-view.js";
import { GameSocket } from "./game-socket.js";
import { Table } from "./table.js";

/**
 * @typedef {import("./connection-view.js").ConnectionState} ConnectionState
 * @typedef {import("./game-socket.js").Answer} Answer
 * @typedef {import("./game-socket.js").RefusedAction} RefusedAction
 *
 * @typedef {import("./table.js").TableData & { socketUrl: string }} SocketTableData
 */

/**
 * @template {SocketTableData} Data
 * @extends {Table<Data>}
 */
export class SocketTable extends Table {
  #socket;
  #connection;
  /** @type {ConnectionState} */
  #state = "down";
  #wasLost = false;
  /** The number of times that the buttons were disabled or enabled. */
  #changes = 0;

  /**
   * @param {HTMLElement} root
   * @param {Data} data
   */
  constructor(root, data) {
    super(root, data);
    this.#socket = new GameSocket({
      url: data.socketUrl,
      game: root.dataset.game ?? "",
      identity: this.identity,
      preferences: this.preferences,
      listeners: {
        onConnection: (state) => this.#takeConnection(state),
        onAnswer: (answer) => this.takeAnswer(answer),
        onRefusal: (refusal) => this.#handleRefusal(refusal),
        onConfig: (config) => this.takeConfig(config),
      },
    });
    this.#connection = new ConnectionView(root, {
      createLoginLink: () => this.identity.createLoginLink(), onPlayHere: () => this.#socket.start(),
    });
  }

  // defined by a game

  /**
   * The data of `Authenticate`.
   * @returns {Record<string, string>}
   */
  get preferences() {
    return {};
  }

  /**
   * Show the answer to an action.
   * @param {Answer} _answer
   */
  takeAnswer(_answer) {
    throw new Error("A game must show its answers.");
  }

  /**
   * Show that an action was refused.
   * @param {RefusedAction} refusal
   */
  takeRefusal(refusal) {
    this.showRefusal(refusal);
  }

  /**
   * Use the game's new terms from the socket.
   * @param {Record<string, any>} _config
   */
  takeConfig(_config) {}

  /**
   * Show the buttons that can be pressed now.
   * @param {{ hasFocus?: boolean }} [_options]  `hasFocus`: the first of them takes the focus
   */
  showMoves(_options) {}

  // shared by games

  /** Whether an action waits for its answer. */
  get isPending() {
    return this.#socket.isPending;
  }

  /** Whether actions can be sent. A visitor connects with the first one, which makes the player. */
  get isConnected() {
    return this.#state === "up" || this.#state === "ready";
  }

  /** @override */
  get canBet() {
    return this.isIdle && this.isConnected;
  }

  connect() {
    if (this.data.isVisitor && !this.isPending) this.#takeConnection("ready");
    else this.#socket.start();
  }

  /**
   * Send an action and be busy until it is answered.
   * @param {string} action
   * @param {Record<string, unknown>} data
   */
  act(action, data) {
    this.announcer.clearProblem();
    this.setBusy();
    this.#socket.act(action, data);
    if (this.#state === "ready") this.#socket.start();
  }

  /** @override */
  setBusy() {
    super.setBusy();
    this.showMoves();
  }

  /** Disable all buttons during a change of the display, but show the server's state. */
  setShowing() {
    this.#lock(true);
    this.showMoves();
  }

  /**
   * Let the player act again, unless an action still waits for its answer.
   * @param {{ hasFocus?: boolean }} [options]
   */
  setReady({ hasFocus = false } = {}) {
    if (this.isPending) return;
    this.#lock(false);
    this.showMoves({ hasFocus });
    this.watch.release();
  }

  /** @param {boolean} isBusy */
  #lock(isBusy) {
    this.#changes += 1;
    this.isBusy = isBusy;
    this.board.setLocked(!this.isIdle);
  }

  /**
   * Let the player act again after a refusal. If nobody knows whether the action was carried out, read the server's
   * state first.
   * @param {RefusedAction} refusal
   */
  async #handleRefusal(refusal) {
    this.takeRefusal(refusal);
    const changes = this.#changes;
    if (refusal.isUnknown && refusal.code !== "AUTHENTICATION_FAILED") await this.watch.readNext();
    if (this.#changes === changes) this.setReady({ hasFocus: true });
  }

  /** @param {ConnectionState} state */
  #takeConnection(state) {
    this.#state = state;
    this.#connection.show(state);
    this.showMoves();
    if (state === "taken" || state === "over") this.watch.release(); // no answer will come, so the page follows the round
    else if (state === "up" && this.#wasLost && !this.isBusy) this.watch.read(); // announcements meanwhile are lost
    this.#wasLost = state === "down" || (this.#wasLost && state !== "up");
  }
}
