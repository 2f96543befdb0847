// @ts-check
/** A player's seat at one table: taking it, leaving it, and this browser's contributions to the seeds of the rounds. */

import { noteSent } from "../../portal/js/double-press.js";
import { findContribution, hasContribution, listContributions } from "./contributions.js";

export class SeatKeeper {
  #tableId;
  #hub;
  /** The chain that this browser has contributed to from its seat. */
  #chain = "";
  /**
   * The rounds whose windows opened while this player had a seat. Their client seeds must have this browser's
   * contribution.
   */
  #rounds = new Set();

  /**
   * @param {string} tableId
   * @param {import("./live-table.js").Hub} hub
   */
  constructor(tableId, hub) {
    this.#tableId = tableId;
    this.#hub = hub;
  }

  /** Whether this window plays the seat: it took it, and not another one of the player's, and has not left it. */
  get hasSeat() {
    return this.#hub.credentials.hasSeat(this.#tableId);
  }

  /** Whether the player has left a seat that stays until its stake is settled. */
  get isLeaving() {
    return this.#hub.credentials.hasLeft(this.#tableId);
  }

  /** This browser's contributions at the table. */
  get given() {
    return listContributions(this.#tableId);
  }

  /**
   * Take a seat, by default the first that is free, or take over the player's own seat from another window.
   * @param {string} chain  the commitment of the running chain, which this browser has seen
   * @param {number} [seat]
   */
  async take(chain, seat) {
    noteSent();
    await this.#hub.rest.takeSeat(this.#tableId, { seat, clientSeed: findContribution(this.#tableId, chain) });
    this.#chain = chain;
    this.#hub.credentials.rememberSeat(this.#tableId);
  }

  /** Leave the seat and continue to watch. */
  async leave() {
    noteSent(); // else a double click on "Leave seat" would take a seat again
    await this.#hub.rest.leaveSeat(this.#tableId);
    this.#hub.credentials.rememberLeft(this.#tableId);
    await this.#hub.rest.followTable(this.#tableId);
  }

  /**
   * Contribute again after a new chain has voided contributions. The browser knows its commitment then.
   * @param {string} chain
   */
  async giveAnew(chain) {
    if (this.#chain === chain) return;
    const isGiven = hasContribution(this.#tableId, chain);
    this.#chain = chain;
    if (!isGiven) await this.#hub.rest.takeSeat(this.#tableId, { clientSeed: findContribution(this.#tableId, chain) });
  }

  /**
   * Return this browser's contribution under a chain; empty for none.
   * @param {string} chain
   */
  read(chain) {
    return hasContribution(this.#tableId, chain) ? findContribution(this.#tableId, chain) : "";
  }

  /**
   * Remember that a window has opened while the player had a seat.
   * @param {import("./wire.js").Message} message
   */
  noteWindow({ type, repeats, payload }) {
    if (type !== "betting_window_open" || repeats) return;
    this.#hub.credentials.clearLeft(this.#tableId);
    if (this.#chain) this.#rounds.add(payload.roundId);
  }

  /** @param {string} roundId */
  hasGiven(roundId) {
    return this.#rounds.has(roundId);
  }
}
