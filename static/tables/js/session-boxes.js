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
    const response = first && (await fetch(`${this.#url}?after=${first.after}`).catch(() => null));
    if (!response?.ok || response.redirected) return;
    const { session } = await response.json();
    const isOther = first.isOther(session);
    for (const view of this.#views) {
      if (isOther) view.startSession();
      else view.show(session);
    }
    this.#isDue ||= isOther;
  }
}
