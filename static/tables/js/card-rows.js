// @ts-check
/** Rows of cards that grow while a round is dealt: cards on the table stay, and new ones come in turn. */

import { createCard } from "../../portal/js/cards.js";
import { findPace } from "../../portal/js/pace.js";

/**
 * Make a row hold these cards; returns how many are new.
 * @param {HTMLElement} row
 * @param {string[]} codes  empty for a card that lies face down
 * @param {(turn: number, index: number) => number} delayMs  when a new card comes, from now on, at normal speed; `turn` counts the new ones
 * @param {boolean} isInstant
 */
export function showCards(row, codes, delayMs, isInstant) {
  let news = 0;
  while (row.childElementCount > codes.length) row.lastElementChild?.remove();
  codes.forEach((code, index) => {
    const card = row.children[index];
    if (card && (card.getAttribute("code") ?? "") === code) return;
    const isTurned = Boolean(card && code && card.hasAttribute("back"));
    const next = createCard(code);
    if (!isInstant) {
      next.classList.add(isTurned ? "turned" : "dealt");
      next.style.animationDelay = `${Math.max(0, delayMs(news, index)) * findPace()}ms`;
    }
    news += 1;
    if (card) card.replaceWith(next);
    else row.append(next);
  });
  return news;
}
