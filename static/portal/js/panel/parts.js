// @ts-check
/** The parts of the panel that are loaded when it first comes in sight: its tabs, the last rounds and the seeds. */

import { connectRounds } from "./round-list.js";
import { SeedBox } from "./seed-box.js";
import { connectTabs } from "./tabs.js";

/**
 * @typedef {object} PartsOptions
 * @property {import("../currency.js").Currency} currency
 * @property {() => void} onSeedChange
 *
 * @typedef {object} PartsData
 * @property {import("./seed-box.js").Seeds | null} seeds
 * @property {import("./round-list.js").RoundRow[]} rounds
 */

/**
 * Connect the parts, and return a function that shows the panel's data in them.
 * @param {HTMLElement} beside
 * @param {HTMLElement} body
 * @param {PartsOptions} options
 */
export function connectParts(beside, body, { currency, onSeedChange }) {
  const box = new SeedBox(body, { url: beside.dataset.seedUrl ?? "", onChange: onSeedChange });
  const showRounds = connectRounds(body, { currency, redealUrl: beside.dataset.redeal ?? "", changeSeed: () => box.change() });
  connectTabs(body);

  /** @param {PartsData} data */
  return ({ seeds, rounds }) => {
    box.show(seeds);
    showRounds(rounds);
  };
}
