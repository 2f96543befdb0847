// @ts-check
/** Announces events that concern the player to screen readers: a request for a decision, a window, a result. */

import { playChipSound } from "../../portal/js/sound.js";

export class StateSpeaker {
  #announcer;
  /** The request that was announced to the player. */
  #toldRequest = "";
  #toldPhase = "";

  /** @param {import("../../portal/js/announcer.js").Announcer} announcer */
  constructor(announcer) {
    this.#announcer = announcer;
  }

  /**
   * @param {import("./table-model.js").TableModel} model
   * @param {{ words: string, cards: string }} texts  the text on the felt, and the cards on the table
   */
  tell({ request, state }, { words, cards }) {
    if (!state) return;
    const isNewPhase = this.#toldPhase !== `${state.roundId}:${state.phase}`;
    if (request && request.id !== this.#toldRequest) {
      playChipSound();
      this.#announcer.say(`${cards} ${words}`);
    } else if (isNewPhase && state.phase === "pause") this.#announcer.say(`${cards} ${words}`);
    else if (isNewPhase && state.phase !== "playing") this.#announcer.say(words);
    this.#toldPhase = `${state.roundId}:${state.phase}`;
    this.#toldRequest = request?.id ?? "";
  }
}
