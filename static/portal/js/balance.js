// @ts-check
/** Shows the player's balance everywhere on the page. `player-watch.js` learns of changes by other tabs or the server. */

import { formatAmount, parseUnits } from "./money.js";
import { sendSignal } from "./signals.js";

/**
 * Show a balance given as plain text.
 * @param {string} text
 */
export function showBalance(text) {
  sendSignal("balance", { balance: text });
  for (const element of document.querySelectorAll("[data-balance]")) {
    if (!(element instanceof HTMLElement)) continue;
    const decimals = Number(element.dataset.decimals);
    element.textContent = formatAmount(parseUnits(text, decimals), decimals);
  }
}
