// @ts-check
/** A hand of cards behind its name. */

import { createCard } from "./cards.js";
import { createElement } from "./dom.js";

/**
 * A code is empty where the card lies face down.
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
