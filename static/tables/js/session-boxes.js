// @ts-check
/** The figures of the player's session beside each table of the page that is played for money. */

import { Currency } from "../../portal/js/currency.js";
import { findPart } from "../../portal/js/dom.js";
import { SessionView } from "../../portal/js/panel/session-view.js";

export class SessionBoxes {
  #url;
  #currency;
  /** @type {SessionView[]} */
  #views = [];
  #isReading = false;
  #isDue = false;

  /** @param {{ panelUrl: string, currency: string, decimals: number }} page */
  constructor({ panelUrl, currency, decimals }) {
    this.#url = panelUrl;
    this.#currency = new Currency(currency, decimals);
  }

  /** @param {HTMLElement} table */
  add(table) {
    this.#views.push(new SessionView(findPart(table, "session"), this.#currency));
  }

  /** Show the server's figures. A call during the read causes one more read. */
  async read() {
    this.#isDue = true;
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#isDue) {
      this.#isDue = false;
      await this.#readOnce();
    }
    this.#isReading = false;
  }

  async #readOnce() {
    const [first] = this.#views;
    const session = first && (await fetchSession(`${this.#url}?after=${first.after}`));
    if (!session) return;
    const isOther = first.isOther(session);
    for (const view of this.#views) {
      if (isOther) view.startSession();
      else view.show(session);
    }
    this.#isDue ||= isOther;
  }
}

/**
 * Return the figures; null without a whole answer, since the next round reads them again.
 * @param {string} url
 * @returns {Promise<import("../../portal/js/panel/session-view.js").SessionFigures | null>}
 */
async function fetchSession(url) {
  try {
    const response = await fetch(url);
    return response.ok && !response.redirected ? (await response.json()).session : null;
  } catch {
    return null;
  }
}
