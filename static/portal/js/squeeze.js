// @ts-check
/**
 * The squeeze of a card: it lies face down, and the player uncovers it from below by dragging, or by the arrow keys. Enter,
 * Space or a click shows it at once. The server has dealt the card before, so a squeeze changes nothing.
 */

import { createElement } from "./dom.js";
import { isInstant } from "./pace.js";
import { readStored, writeStored } from "./stored.js";
import { tell } from "./words.js";

const STORE = "punto-squeeze";
const FULL = 100;
/** Where a released card turns over by itself. */
const SHOWN_FROM = 60;
const STEP = 10;
/** A pointer that moves less than this clicks. */
const CLICK_PX = 6;
const STEPS = new Map([["ArrowUp", STEP], ["ArrowRight", STEP], ["ArrowDown", -STEP], ["ArrowLeft", -STEP]]);
const SHOWING_KEYS = new Set(["Enter", " ", "End"]);

export function isSqueezeOn() {
  return readStored(STORE) === "on";
}

/** @param {boolean} isOn */
export function setSqueezeOn(isOn) {
  writeStored(STORE, isOn ? "on" : "off");
}

/** Whether the last card of a round is to be squeezed now. */
export function isSqueezed() {
  return isSqueezeOn() && !isInstant();
}

/**
 * Cover the card, and resolve when the player has uncovered it.
 * @param {HTMLElement} card
 * @returns {Promise<void>}
 */
export function squeezeCard(card) {
  return new Promise((resolve) => {
    const cover = new Cover(card, () => {
      cover.clear();
      resolve();
    });
  });
}

class Cover {
  #card;
  #back;
  #label;
  #onShown;
  #part = 0;
  #startY = 0;
  #startPart = 0;
  #hasMoved = false;

  /**
   * @param {HTMLElement} card
   * @param {() => void} onShown
   */
  constructor(card, onShown) {
    this.#card = card;
    this.#onShown = onShown;
    this.#label = card.getAttribute("aria-label") ?? "";
    this.#back = createElement("span", "squeeze-back");
    card.append(this.#back);
    card.classList.add("squeezed");
    card.tabIndex = 0;
    card.setAttribute("role", "slider");
    card.setAttribute("aria-label", tell("squeeze-card"));
    card.addEventListener("pointerdown", this.#start);
    card.addEventListener("pointermove", this.#drag);
    card.addEventListener("pointerup", this.#release);
    card.addEventListener("keydown", this.#press);
    this.#show(0);
    card.focus({ preventScroll: true });
  }

  clear() {
    const card = this.#card;
    const hadFocus = document.activeElement === card;
    this.#back.remove();
    card.classList.remove("squeezed");
    card.removeEventListener("pointerdown", this.#start);
    card.removeEventListener("pointermove", this.#drag);
    card.removeEventListener("pointerup", this.#release);
    card.removeEventListener("keydown", this.#press);
    for (const name of ["tabindex", "aria-valuenow", "aria-valuemin", "aria-valuemax"]) card.removeAttribute(name);
    card.setAttribute("role", "img");
    card.setAttribute("aria-label", this.#label);
    if (hadFocus) card.blur();
  }

  /** @param {number} part  in per cent of the card */
  #show(part) {
    this.#part = Math.min(FULL, Math.max(0, part));
    this.#back.style.clipPath = `inset(0 0 ${this.#part}% 0)`;
    this.#card.setAttribute("aria-valuemin", "0");
    this.#card.setAttribute("aria-valuemax", String(FULL));
    this.#card.setAttribute("aria-valuenow", String(Math.round(this.#part)));
    if (this.#part === FULL) this.#onShown();
  }

  /** @param {PointerEvent} event */
  #start = (event) => {
    this.#card.setPointerCapture(event.pointerId);
    [this.#startY, this.#startPart, this.#hasMoved] = [event.clientY, this.#part, false];
    holdClick(this.#card);
  };

  /** @param {PointerEvent} event */
  #drag = (event) => {
    if (!this.#card.hasPointerCapture(event.pointerId)) return;
    const moved = this.#startY - event.clientY;
    this.#hasMoved ||= Math.abs(moved) > CLICK_PX;
    this.#show(this.#startPart + (moved / this.#card.getBoundingClientRect().height) * FULL);
  };

  /** @param {PointerEvent} event */
  #release = (event) => {
    if (!this.#card.hasPointerCapture(event.pointerId)) return; // it was pressed elsewhere
    if (!this.#hasMoved || this.#part >= SHOWN_FROM) this.#show(FULL);
  };

  /** @param {KeyboardEvent} event */
  #press = (event) => {
    const step = STEPS.get(event.key);
    if (step === undefined && !SHOWING_KEYS.has(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    this.#show(step === undefined ? FULL : this.#part + step);
  };
}

/**
 * Hold the click that ends this press, which would clear the finished round from the felt. A drag by touch ends without
 * a click, so the next press ends the wait for it.
 * @param {HTMLElement} card
 */
function holdClick(card) {
  const hold = (/** @type {Event} */ click) => click.stopPropagation();
  card.addEventListener("click", hold, { once: true });
  window.addEventListener("pointerdown", () => card.removeEventListener("click", hold), { once: true, capture: true });
}
