// @ts-check
/** The sentences that the scripts of the live tables show to players. `{name}` stands for a value. Pure. */

import { formatRefusal } from "../../portal/js/refusals.js";

export const TEXTS = {
  mainBetFirst: "Place your main bet first. A side bet goes with it.",
  spotIsFull: "{amount} is the most on {bet}.",
  spotTakesMore: "{amount} is the least on {bet}. Choose a higher chip.",
  balanceTooLow: "Your balance is {amount}. It does not cover this bet.",
  noTimeToUndo: "The bets close now. There is no time left to take one back.",
  repeatAndReady: "Same bet, ready",
  ready: "Ready",
  readyWaiting: "Ready, waiting",
  dealtAgain: "Dealt again",
  seedCommitted: "The server seed is the one that was committed to.",
  seedNotCommitted: "The server seed does not match the commitment.",
  seedOfChain: "The server seed belongs to the table's published chain.",
  seedNotOfChain: "The server seed does not belong to the table's published chain.",
  cardsSame: "All {count} cards are the ones of the round.",
  cardsDiffer: "These are not the cards of the round.",
  cardsUnknown: "These are the first cards from the shoe. A round takes as many as its bets and decisions need.",
  shoeUnread: "The shoe cannot be read: 52 counts are expected, or none.",
  noWebCrypto: "This browser offers Web Crypto only over HTTPS: open this page by its https address.",
  pays: "{odds} to 1",
  limits: "{least} to {most}",
  betPlaced: "Bet placed",
  noStake: "no stake",
  staked: "staked {amount}",
};

/** @type {Record<string, string>} */
const REFUSALS = {
  AUTH_EXPIRED: "Your session has ended. Load the page again.",
  AUTH_INVALID: "Your session has ended. Load the page again.",
  AUTH_REQUIRED: "Log in to play.",
  BETTING_WINDOW_CLOSED: "The bets were closed before this one arrived. Nothing was taken for it.",
  CONTRIBUTION_REQUIRED: "This table needs a seed from your browser. Load the page again.",
  GAME_DISABLED: "New bets are switched off here for now. Your balance is safe.",
  GAME_NOT_ALLOWED: "This session is not for this game.",
  INSUFFICIENT_BALANCE: "Your balance does not cover this.",
  INTERNAL_ERROR: "The server could not do this. Nothing has changed. Try again.",
  INVALID_ACTION: "This is not possible now.",
  NOT_YOUR_TURN: "It is not your turn.",
  RATE_LIMITED: "That was too fast. Wait a moment and try again.",
  ROUND_COMPLETE: "The round is over.",
  SEAT_TAKEN: "Somebody has taken this seat. Choose another one.",
  TABLE_FULL: "Every seat is taken.",
  TABLE_NOT_FOUND: "This table is closed.",
  TIMEOUT: "The time for this is over.",
};

/**
 * Return a text with its placeholders filled in.
 * @param {keyof typeof TEXTS} name
 * @param {Record<string, string>} [values]
 */
export function writeText(name, values = {}) {
  return TEXTS[name].replace(/\{(\w+)\}/g, (_match, key) => values[key] ?? "");
}

/**
 * Return the sentence for a refusal of the table server: by its code, or the server's own if it is more specific.
 * @param {Record<string, any>} refusal
 */
export function describeRefusal({ code = "", message = "" }) {
  return REFUSALS[code] ?? formatRefusal(message || code);
}
