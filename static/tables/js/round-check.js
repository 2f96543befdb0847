// @ts-check
/**
 * Checks a finished round in this browser. It compares the seed with the commitment before the bets, the client seed
 * with the contributions (including this browser's own), and the cards with a new deal from the table's shoe.
 */

import { computeCommitment } from "../../portal/js/fairness.js";
import { tell } from "../../portal/js/words.js";
import { hasTakenPart } from "./contributions.js";
import { computeChainSeed, dealRound } from "./table-shoe.js";

/**
 * @typedef {import("./game-view.js").GameView} GameView
 * @typedef {import("./table-model.js").Json} Json
 *
 * @typedef {{ text: string, isGood: boolean }} Check
 *
 * @typedef {object} CheckedRound
 * @property {Check[]} checks
 * @property {string[]} cards
 * @property {string[]} labels
 *
 * @typedef {object} KnownBefore
 * @property {string} seedHash  that this browser got before the bets; empty if it was not at the table
 * @property {string} chainCommitment  s_0 of the running chain
 * @property {number} chainFirstRound
 * @property {string[]} given  this browser's contributions at the table
 * @property {boolean} hasGiven  whether the round must contain one: the player had a seat when the window opened
 */

/**
 * @param {Json} record  of the round, as the lobby serves it
 * @param {GameView} view
 * @param {KnownBefore} known
 * @returns {Promise<CheckedRound>}
 */
export async function checkRound(record, view, known) {
  const { seed, seedHash, clientSeed, contributions } = record;
  const number = Number(record.roundNumber);
  /** @type {Check[]} */
  const checks = [];
  /**
   * @param {boolean} isGood
   * @param {string} name  of the sentence about success; the other one ends in `-not`
   */
  const add = (isGood, name) => checks.push({ isGood, text: tell(isGood ? name : `${name}-not`) });
  add((await computeCommitment(seed)) === seedHash, "check-seed");
  if (known.seedHash) {
    add(known.seedHash === seedHash, "check-told");
  }
  if (number >= known.chainFirstRound) {
    const start = await computeChainSeed(seed, number - known.chainFirstRound + 1);
    add(start === known.chainCommitment, "check-chain");
  }
  const joined = contributions.map((/** @type {Json} */ each) => each.clientSeed).join("|");
  add(joined === clientSeed, "check-client");
  if (known.hasGiven) {
    add(hasTakenPart(contributions, known.given), "check-part");
  }
  const dealt = await checkCards(record, view);
  return { checks: [...checks, ...dealt.checks], cards: dealt.cards, labels: dealt.labels };
}

/**
 * @param {Json} record
 * @param {GameView} view
 * @returns {Promise<CheckedRound>}
 */
async function checkCards(record, view) {
  const game = await view.loadCheck();
  const count = game.countCards(record);
  if (!count) return { checks: [{ isGood: true, text: tell("live-no-stakes") }], cards: [], labels: [] };
  const { seed, clientSeed, nonce, shoe, decks } = record;
  const round = { seed, clientSeed, nonce, shoe: shoe ? shoe.map(Number) : null, decks: Number(decks ?? 0) };
  const { cards, labels, problem } = game.checkDeal(record, await dealRound(round, count));
  const text = problem || tell("check-cards", { count: String(cards.length) });
  return { checks: [{ isGood: !problem, text }], cards, labels };
}
