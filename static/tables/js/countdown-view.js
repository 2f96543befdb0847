// @ts-check
/** The countdown of a table, by the server's clock. */

import { findPart } from "../../portal/js/dom.js";
import { tell } from "../../portal/js/words.js";

/**
 * @typedef {object} Countdown
 * @property {string} words  the name of the sentence that says what the countdown is for
 * @property {number} deadlineMs  by the server's clock
 * @property {number} totalMs  the whole time, for the bar
 * @property {boolean} isOwn  whether the table waits for this player; a screen reader then announces the last seconds
 */

const TICK_MS = 200;
const SAID_AT_S = [10, 5];

export class CountdownView {
  #root;
  #text;
  #bar;
  #clock;
  #say;
  /** @type {Countdown | null} */
  #countdown = null;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;
  #saidAt = Number.POSITIVE_INFINITY;

  /**
   * @param {HTMLElement} table
   * @param {object} options
   * @param {import("./wire.js").ServerClock} options.clock
   * @param {(text: string) => void} options.say
   */
  constructor(table, { clock, say }) {
    this.#root = findPart(table, "clock");
    this.#text = findPart(table, "clock-text");
    this.#bar = findPart(table, "clock-bar");
    this.#clock = clock;
    this.#say = say;
  }

  /**
   * Count down to a time, or show a text without a countdown.
   * @param {Countdown | null} countdown
   * @param {string} [words]
   */
  show(countdown, words = "") {
    const isSame = countdown && this.#countdown?.deadlineMs === countdown.deadlineMs && this.#countdown.isOwn === countdown.isOwn;
    this.#countdown = countdown;
    if (!isSame) this.#saidAt = Number.POSITIVE_INFINITY;
    clearInterval(this.#timer);
    this.#root.classList.toggle("own", Boolean(countdown?.isOwn));
    if (countdown) {
      this.#timer = setInterval(() => this.#showLeft(), TICK_MS);
      this.#showLeft();
      return;
    }
    this.#bar.style.scale = "0 1";
    this.#text.textContent = words;
  }

  #showLeft() {
    if (!this.#countdown) return;
    const { words, deadlineMs, totalMs, isOwn } = this.#countdown;
    const leftMs = this.#clock.countLeft(deadlineMs);
    const seconds = Math.ceil(leftMs / 1000);
    this.#text.textContent = tell(words, { seconds: String(seconds) });
    this.#bar.style.scale = `${Math.min(1, leftMs / Math.max(totalMs, 1))} 1`;
    this.#root.classList.toggle("soon", seconds <= 5);
    if (isOwn) this.#sayLeft(seconds);
  }

  /**
   * Announce the remaining seconds, once at ten and once at five.
   * @param {number} seconds
   */
  #sayLeft(seconds) {
    const passed = SAID_AT_S.filter((mark) => seconds <= mark && mark < this.#saidAt);
    if (!passed.length) return;
    const isLate = this.#saidAt === Number.POSITIVE_INFINITY && seconds < SAID_AT_S[0];
    this.#saidAt = Math.min(...passed);
    if (seconds && !isLate) this.#say(tell("live-seconds-left", { seconds: String(seconds) }));
  }
}
