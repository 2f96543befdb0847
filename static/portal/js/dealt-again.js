// @ts-check
/** Deals a finished round again in the browser, and compares it with the cards that the player got. */

import { computeCommitment, dealCards, Stream } from "./fairness.js";
import { tell } from "./words.js";

/**
 * @typedef {object} RoundProof
 * @property {string} serverSeed
 * @property {string} commitment  empty where none is known
 * @property {string} clientSeed
 * @property {number | string} nonce
 * @property {number} decks
 * @property {string[]} cards  the dealt cards, `?` for a card that was never shown; none if they are not known
 * @property {string[]} places
 *
 * @typedef {object} DealtAgain
 * @property {import("./verify.js").Redeal} round
 * @property {string} commitment  of the server seed
 * @property {boolean} isCommitted  whether it is the published one
 * @property {boolean} isSame  whether the cards are those that the player got
 */

const SHOE_CARDS = 52;
const NEVER_SHOWN = "?"; // a hole card

/**
 * @param {RoundProof} proof
 * @param {import("./verify.js").RedealModule} game
 * @returns {Promise<DealtAgain>}
 */
export async function dealRoundAgain({ serverSeed, commitment: published, clientSeed, nonce, decks, cards, places }, game) {
  const commitment = await computeCommitment(serverSeed);
  const stream = await Stream.open(serverSeed, clientSeed, nonce);
  const count = Math.max(SHOE_CARDS, cards.length, places.length);
  const shoe = await dealCards(stream, { decks, count });
  const round = game.redeal(shoe, { cardCount: cards.length, places }, tell);
  const isSame = cards.length === round.cards.length && cards.every((code, index) => isAsDealt(round.cards[index], code));
  return { round, commitment, isCommitted: published.toLowerCase() === commitment, isSame };
}

/**
 * Return whether the card is the expected one. A card that was never shown matches every card.
 * @param {string} code
 * @param {string} expected
 */
export function isAsDealt(code, expected) {
  return expected === NEVER_SHOWN || code === expected;
}

/**
 * Return the number of cards that were shown.
 * @param {string[]} cards
 */
export function countShown(cards) {
  return cards.filter((code) => code !== NEVER_SHOWN).length;
}
