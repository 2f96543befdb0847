// @ts-check
/**
 * The panel beside a table: the session, the last rounds, odds and rules. It follows the table's signals about rounds
 * (`signals.js`), so no table depends on it.
 */

import { Currency } from "../currency.js";
import { findPart, readPageData } from "../dom.js";
import { wait } from "../motion.js";
import { watch } from "../player-watch.js";
import { listenSignal } from "../signals.js";
import { SessionView } from "./session-view.js";
import { placePanel } from "./sheet.js";

/** @typedef {import("./parts.js").PartsData & { session: import("./session-view.js").SessionFigures }} PanelData */

const PAUSE_MS = 1000; // quick rounds are not read one by one

const panel = document.querySelector("[data-part=beside]");
if (panel instanceof HTMLElement) openPanel(panel);

/** @param {HTMLElement} beside */
function openPanel(beside) {
  const { currency: code, decimals } = readPageData("table-data");
  const currency = new Currency(code, decimals);
  const body = findPart(beside, "beside-body");
  const session = new SessionView(body, currency);
  /** @type {PanelData | null} */
  let shown = null;
  /** @type {((data: PanelData) => void) | null} */
  let showParts = null;

  placePanel(beside, async () => {
    const { connectParts } = await import("./parts.js"); // on a phone most players never open the panel
    showParts ??= connectParts(beside, body, { currency, onSeedChange: () => read() });
    if (shown) showParts(shown);
  });

  let isReading = false;
  let isDue = false;
  let readAt = -PAUSE_MS;

  /** Read the panel's data at most once a second. Calls in between cause one more read after it. */
  async function read() {
    isDue = true;
    if (isReading) return;
    isReading = true;
    while (isDue) {
      await wait(Math.max(0, readAt + PAUSE_MS - performance.now()));
      isDue = false;
      readAt = performance.now();
      const data = await fetchData(`${beside.dataset.url}?after=${session.after}`);
      if (data && session.isOther(data.session)) {
        session.startSession();
        isDue = true;
      } else if (data) {
        session.show(data.session);
        shown = data;
        showParts?.(data);
      }
    }
    isReading = false;
  }

  listenSignal("round-ended", read);
  watch?.addEventListener("state", read);
  read();
}

/**
 * Return the panel's data; null without an answer, since the next round reads it again.
 * @param {string} url
 * @returns {Promise<PanelData | null>}
 */
async function fetchData(url) {
  try {
    const response = await fetch(url, { headers: { Accept: "application/json" } });
    return response.ok && !response.redirected ? await response.json() : null;
  } catch {
    return null;
  }
}
