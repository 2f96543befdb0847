// @ts-check
/**
 * A table where a round takes several actions, each sent over a socket and answered. A game says what its actions are and
 * what their answers change.
 */

import { ConnectionView } from "./connection.js";
import { GameSocket } from "./game-socket.js";
import { Table } from "./table.js";

/**
 * @typedef {import("./connection.js").ConnectionState} ConnectionState
 * @typedef {import("./game-socket.js").Answer} Answer
 * @typedef {import("./game-socket.js").Refusal} Refusal
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

  /**
   * @param {HTMLElement} root
   * @param {Data} data
   */
  constructor(root, data) {
    super(root, data);
    this.#socket = new GameSocket({
      url: data.socketUrl,
      game: root.dataset.game ?? "",
      findSession: (isRefused) => this.identity.findSession(isRefused),
      preferences: this.preferences,
      listeners: {
        onConnection: (state) => this.#takeConnection(state),
        onAnswer: (answer) => this.takeAnswer(answer),
        onRefusal: (refusal) => this.takeRefusal(refusal),
        onConfig: (config) => this.takeConfig(config),
      },
    });
    this.#connection = new ConnectionView(root, {
      createLoginLink: () => this.identity.createLoginLink(), onPlayHere: () => this.#socket.start(),
    });
  }

  // what a game decides

  /**
   * What a connection is asked for when it authenticates.
   * @returns {Record<string, string>}
   */
  get preferences() {
    return {};
  }

  /**
   * Show what an action came to.
   * @param {Answer} _answer
   */
  takeAnswer(_answer) {
    throw new Error("A game has its own answers.");
  }

  /** @param {Refusal} refusal */
  takeRefusal({ message }) {
    this.showRefusal(message);
    this.setReady();
  }

  /**
   * Take the new terms of the game, as the socket tells them.
   * @param {Record<string, any>} _config
   */
  takeConfig(_config) {}

  /**
   * Show what can be pressed now.
   * @param {{ hasFocus?: boolean }} [_options]  `hasFocus`: the first of it takes the focus
   */
  showMoves(_options) {}

  // what games share

  /** Whether an action waits for its answer. */
  get isPending() {
    return Boolean(this.#socket.pending);
  }

  get isConnected() {
    return this.#state === "up";
  }

  /** @override */
  get canBet() {
    return this.isIdle && this.isConnected;
  }

  connect() {
    this.#socket.start();
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
  }

  /** @override */
  setBusy() {
    this.watch.hold();
    this.#lock(true);
    this.showMoves();
  }

  /** Nothing can be pressed while what is shown changes; what the server has is taken. */
  setShowing() {
    this.#lock(true);
    this.showMoves();
  }

  /**
   * Let the player go on, unless an action still waits for its answer.
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
    this.isBusy = isBusy;
    this.board.setLocked(!this.isIdle);
  }

  /** @param {ConnectionState} state */
  #takeConnection(state) {
    this.#state = state;
    this.#connection.show(state);
    this.showMoves();
    if (state === "taken" || state === "over") this.watch.release(); // no answer comes here: the round is followed
    else if (!this.isBusy) this.watch.read(); // what was announced while the connection was down is not known
  }
}
