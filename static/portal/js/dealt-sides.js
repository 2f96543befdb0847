// @ts-check
/** The sides of a table that cards are dealt to, each with its score. */

import { createCard, nameCard } from "./cards.js";
import { findElement } from "./dom.js";
import { pauseForEye, slide } from "./motion.js";
import { playCardSound } from "./sound.js";
import { isSqueezed, squeezeCard } from "./squeeze.js";
import { listTexts, tell } from "./words.js";

/**
 * The codes of each side's cards, by the side's name.
 * @typedef {Record<string, string[]>} Deal
 *
 * @typedef {object} Side
 * @property {HTMLElement} box
 * @property {HTMLElement} hand
 * @property {HTMLElement} score
 */

const CARD_MS = 430;

export class DealtSides {
  #sides;
  #order;
  #score;

  /**
   * @param {HTMLElement} root  the table: a side is an element with `data-side`, its name, and `data-label`
   * @param {object} options
   * @param {[side: string, index: number][]} options.order  in which the cards come
   * @param {(cards: string[]) => number | string} options.score
   */
  constructor(root, { order, score }) {
    this.#sides = findSides(root);
    this.#order = order;
    this.#score = score;
  }

  get names() {
    return [...this.#sides.keys()];
  }

  clear() {
    for (const { box, hand, score } of this.#sides.values()) {
      hand.replaceChildren();
      score.textContent = "";
      box.classList.remove("winner");
    }
  }

  /**
   * Show all cards at once.
   * @param {Deal} deal
   */
  layOut(deal) {
    for (const [name, { hand, score }] of this.#sides) {
      hand.replaceChildren(...deal[name].map(createCard));
      score.textContent = String(this.#score(deal[name]));
    }
  }

  /**
   * Show the cards one after the other in dealing order.
   * @param {Deal} deal
   */
  async deal(deal) {
    const order = this.#order.filter(([name, index]) => deal[name][index]);
    for (const [place, [name, index]] of order.entries()) {
      const side = this.#sides.get(name);
      if (!side) continue;
      const card = createCard(deal[name][index]);
      const isToSqueeze = place === order.length - 1 && isSqueezed();
      card.classList.add("dealt");
      slide([...side.hand.children], () => side.hand.append(card));
      playCardSound();
      if (isToSqueeze) await squeezeCard(card);
      else await pauseForEye(CARD_MS);
      side.score.textContent = String(this.#score(deal[name].slice(0, index + 1)));
    }
  }

  /** @param {string} name  of a side; another name marks none */
  markWinner(name) {
    this.#sides.get(name)?.box.classList.add("winner");
  }

  /**
   * Return the names of each side's cards.
   * @param {Deal} deal
   */
  describe(deal) {
    const sides = Array.from(this.#sides, ([name, { box }]) => tell("side-cards", { side: box.dataset.label ?? "", cards: listTexts(deal[name].map(nameCard)) }));
    return sides.join(" ");
  }
}

/**
 * @param {HTMLElement} root
 * @returns {Map<string, Side>}
 */
function findSides(root) {
  const boxes = [...root.querySelectorAll("[data-side]")].filter((box) => box instanceof HTMLElement);
  return new Map(boxes.map((box) => [
    box.dataset.side ?? "",
    { box, hand: findElement(box, ".hand", HTMLElement), score: findElement(box, ".score", HTMLElement) },
  ]));
}
