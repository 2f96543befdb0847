// @ts-check
/** A row with a hand's name and cards. */

import { createCard } from "./cards.js";
import { createElement } from "./dom.js";

/**
 * An empty code stands for a face-down card.
 * @typedef {{ label: string, total: string, cards: string[] }} LabelledHand
 */

/** @param {LabelledHand} hand */
export function createCardRow({ label, total, cards }) {
  const row = createElement("div", "card-row");
  const faces = cards.map((code) => createCard(code));
  for (const face of faces) face.classList.add("medium");
  row.append(createElement("span", "dim", `${label} ${total}`), ...faces);
  return row;
}
