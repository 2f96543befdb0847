/** The player's balance, wherever the page shows it. */

import { shown, unitsOf } from "./money.js";

/** Show a balance that came as plain text. */
export function balanceShow(text) {
  for (const element of document.querySelectorAll("[data-balance]")) {
    const decimals = Number(element.dataset.decimals);
    element.textContent = shown(unitsOf(text, decimals), decimals);
  }
}
