// @ts-check
/** The text in the middle of the felt: the state of the table for this player or for a watcher. Pure. */

import { chooseTone } from "../../portal/js/announcer.js";

/**
 * @typedef {import("../../portal/js/announcer.js").Tone} Tone
 * @typedef {import("../../portal/js/currency.js").Currency} Currency
 * @typedef {import("./table-model.js").Json} Json
 * @typedef {import("./table-model.js").TableModel} TableModel
 *
 * @typedef {{ title: string, note: string, tone: Tone }} Verdict
 *
 * @typedef {object} Viewer
 * @property {Json | null} seat  this player's; null for who watches
 * @property {boolean} hasStake
 * @property {Currency} currency
 * @property {string} question  what is asked of this player; empty for nothing
 * @property {string} ending  how the round ended for all; empty where each seat has its own end
 */

/**
 * @param {TableModel} model
 * @param {Viewer} viewer
 * @returns {Verdict}
 */
export function describeTable(model, viewer) {
  const { state } = model;
  if (!state) return createVerdict("Looking at the table ...");
  switch (state.phase) {
    case "waiting":
      return createVerdict("Nobody is seated. The first player to sit down starts the next round.");
    case "betting":
      return describeBetting(viewer, model);
    case "playing":
      return describePlaying(state, viewer);
    case "pause":
      return describePause(state, viewer);
    default:
      return createVerdict("This table is closed.");
  }
}

/**
 * @param {Viewer} viewer
 * @param {TableModel} model
 */
function describeBetting({ seat, hasStake }, { window }) {
  if (!seat) return createVerdict("Bets are being placed.");
  if (seat.ready) return createVerdict("You are ready. Waiting for the others.");
  if (hasStake) return createVerdict("Your bet is in.", "Press Ready, or change it until the time is over.");
  if (window && !window.actions.length) return createVerdict("You sit in from the next round on.");
  return createVerdict("Place your bet.", "Choose a chip, then a spot to lay it on.");
}

/**
 * @param {Json} state
 * @param {Viewer} viewer
 */
function describePlaying(state, { seat, question }) {
  const turns = state.turns.map((/** @type {Json} */ turn) => turn.seat);
  if (seat && turns.includes(seat.seat)) return createVerdict(question || "Your move.");
  const names = state.seats.filter((/** @type {Json} */ each) => turns.includes(each.seat)).map((/** @type {Json} */ each) => each.displayName);
  return createVerdict(names.length ? `${listNames(names)} to act.` : "The cards are dealt.");
}

/**
 * @param {Json} state
 * @param {Viewer} viewer
 */
function describePause(state, { seat, currency, ending }) {
  const own = seat && state.results.find((/** @type {Json} */ each) => each.seat === seat.seat);
  if (!own) return createVerdict(ending || (state.results.length ? "The round is over." : "Nobody staked: no card was dealt."));
  const [staked, back, net] = [own.stakes, own.payout, own.net].map((amount) => currency.parse(amount));
  const title = `${ending} ${describeNet(net, currency)}`.trim();
  const note = `Staked ${currency.formatWithCode(staked)}, came back ${currency.formatWithCode(back)}.`;
  return { title, note, tone: chooseTone(0n, net) };
}

/**
 * @param {bigint} net
 * @param {Currency} currency
 */
function describeNet(net, currency) {
  if (net > 0n) return `You win ${currency.formatWithCode(net)}.`;
  return net < 0n ? `You lose ${currency.formatWithCode(-net)}.` : "Your stake comes back.";
}

/**
 * @param {string} title
 * @param {string} [note]
 * @returns {Verdict}
 */
function createVerdict(title, note = "") {
  return { title, note, tone: "" };
}

/** @param {string[]} names */
function listNames(names) {
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
}
