// @ts-check
/** The text in the middle of the felt: the state of the table for this player or for a watcher. */

import { chooseTone } from "../../portal/js/announcer.js";
import { listNames } from "../../portal/js/locale.js";
import { tell } from "../../portal/js/words.js";
import { findResult } from "./table-model.js";

/**
 * @typedef {import("../../portal/js/announcer.js").Tone} Tone
 * @typedef {import("../../portal/js/currency.js").Currency} Currency
 * @typedef {import("./table-model.js").Json} Json
 * @typedef {import("./table-model.js").TableModel} TableModel
 *
 * @typedef {{ title: string, note: string, tone: Tone, gain: import("../../portal/js/announcer.js").Gain | null }} Verdict
 *
 * @typedef {object} Viewer
 * @property {string} playerId  this player's; empty before the log-in
 * @property {Json | null} seat  this player's; null for a watcher
 * @property {boolean} [isElsewhere]  whether this window does not play the seat, so it asks for nothing
 * @property {boolean} hasStake
 * @property {Currency} currency
 * @property {string} question  the question to this player; empty for none
 * @property {string} ending  the result of the round for all; empty if each seat has its own
 */

/**
 * @param {TableModel} model
 * @param {Viewer} viewer
 * @returns {Verdict}
 */
export function describeTable(model, viewer) {
  const { state } = model;
  if (!state) return createVerdict(tell("live-looking"));
  const asked = viewer.isElsewhere ? { ...viewer, seat: null } : viewer;
  switch (state.phase) {
    case "waiting":
      return createVerdict(tell("live-nobody"));
    case "betting":
      return describeBetting(asked, model);
    case "playing":
      return describePlaying(state, asked);
    case "pause":
      return describePause(state, viewer);
    default:
      return createVerdict(tell("live-closed"));
  }
}

/**
 * @param {Viewer} viewer
 * @param {TableModel} model
 */
function describeBetting({ seat, hasStake }, { window }) {
  if (!seat) return createVerdict(tell("live-betting"));
  if (seat.ready) return createVerdict(tell("live-you-ready"));
  if (hasStake) return createVerdict(tell("live-bet-in"), tell("live-bet-in-note"));
  if (window && !window.actions.length) return createVerdict(tell("live-sit-in"));
  return createVerdict(tell("live-place-bet"), tell("live-place-bet-note"));
}

/**
 * @param {Json} state
 * @param {Viewer} viewer
 */
function describePlaying(state, { seat, question }) {
  const turns = state.turns.map((/** @type {Json} */ turn) => turn.seat);
  if (seat && turns.includes(seat.seat)) return createVerdict(question || tell("live-your-move"));
  const names = state.seats.filter((/** @type {Json} */ each) => turns.includes(each.seat)).map((/** @type {Json} */ each) => each.displayName);
  return createVerdict(names.length ? tell("live-to-act", { names: listNames(names) }) : tell("live-dealing"));
}

/**
 * @param {Json} state
 * @param {Viewer} viewer
 */
function describePause(state, { playerId, currency, ending }) {
  const own = findResult(state, playerId);
  if (!own) return createVerdict(ending || (tell(state.results.length ? "live-round-over" : "live-no-stakes")));
  const [staked, back, net] = [own.stakes, own.payout, own.net].map((amount) => currency.parse(amount));
  const title = `${ending} ${describeNet(net, currency)}`.trim();
  const note = tell("staked-and-back", { staked: currency.formatWithCode(staked), back: currency.formatWithCode(back) });
  const write = (/** @type {bigint} */ units) => `${ending} ${tell("net-won", { amount: currency.formatWithCode(units) })}`.trim();
  return { title, note, tone: chooseTone(0n, net), gain: net > 0n ? { units: net, write } : null };
}

/**
 * @param {bigint} net
 * @param {Currency} currency
 */
function describeNet(net, currency) {
  if (net > 0n) return tell("net-won", { amount: currency.formatWithCode(net) });
  return net < 0n ? tell("net-lost", { amount: currency.formatWithCode(-net) }) : tell("net-even");
}

/**
 * @param {string} title
 * @param {string} [note]
 * @returns {Verdict}
 */
function createVerdict(title, note = "") {
  return { title, note, tone: "", gain: null };
}
