// @ts-check
/** Effects of a round: the sound of each dealt card, and chips that move between the house and the seats at its end. */

import { ChipFlights } from "../../portal/js/chip-flights.js";
import { findPart } from "../../portal/js/dom.js";
import { listChipValues } from "../../portal/js/money.js";
import { playCardSound } from "../../portal/js/sound.js";

/** @typedef {import("./table-model.js").Json} Json */

export class RoundEffects {
  #flights;
  #currency;

  /**
   * @param {HTMLElement} root  the table
   * @param {{ room: Json, currency: import("../../portal/js/currency.js").Currency }} options
   */
  constructor(root, { room, currency }) {
    const values = listChipValues(currency.parse(room.minBuyin), currency.parse(room.maxBuyin));
    this.#currency = currency;
    this.#flights = new ChipFlights(root, {
      tray: { values, chosenChip: null },
      currency,
      house: findPart(root, "house"),
      findSpot: (seat) => root.querySelector(`[data-seat="${seat}"] .seat-cards`),
    });
  }

  playCard() {
    playCardSound();
  }

  /**
   * Move each seat's winnings from the house to its place, and its lost stakes to the house.
   * @param {Json[]} results
   * @param {string} playerId  this player's
   */
  showPayouts(results, playerId) {
    this.#flights.showPayouts(results.map((each) => ({
      spot: each.seat, stake: this.#currency.parse(each.stakes), payout: this.#currency.parse(each.payout), isOwn: each.playerId === playerId,
    })));
  }
}
