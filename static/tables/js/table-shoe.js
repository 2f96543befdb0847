// @ts-check
/** The cards of a table's round, dealt again from its seeds and its shoe (docs/fairness.md, "At a table"). Pure. */

import { computeCommitment, Stream } from "../../portal/js/fairness.js";
import { RANKS } from "./wire.js";

const FACES = 52;
const FACES_A_SUIT = 13;
const SUITS = "HDCS";

/**
 * Return the cards of the counts in start order: pass n, from hearts to spades and from ace to king, has each card that is
 * counted at least n times.
 * @param {number[]} counts  of the 52 faces
 */
export function layOutShoe(counts) {
  /** @type {number[]} */
  const cards = [];
  const passes = Math.max(0, ...counts);
  for (let pass = 1; pass <= passes; pass += 1) {
    for (let face = 0; face < FACES; face += 1) if (counts[face] >= pass) cards.push(face);
  }
  return cards;
}

/**
 * Return the codes of the first `count` cards of a round.
 * @param {object} round
 * @param {string} round.seed
 * @param {string} round.clientSeed
 * @param {number | string} round.nonce
 * @param {number[] | null} round.shoe  how many of each face were left before the round; null for an endless shoe
 * @param {number} round.decks  0 for an endless shoe
 * @param {number} count
 */
export async function dealRound({ seed, clientSeed, nonce, shoe, decks }, count) {
  const stream = await Stream.open(seed, clientSeed, nonce);
  /** @type {number[]} */
  const dealt = [];
  let left = shoe ? layOutShoe(shoe) : [];
  while (dealt.length < count) {
    if (!shoe) {
      dealt.push(await stream.drawBelow(FACES));
      continue;
    }
    // A shoe that runs empty during a round is refilled with all cards except those on the table.
    if (!left.length) left = layOutShoe(countRest(decks, dealt));
    if (!left.length) break;
    const position = await stream.drawBelow(left.length);
    dealt.push(left[position]);
    const last = left.pop();
    if (position < left.length && last !== undefined) left[position] = last;
  }
  return dealt.map(writeCode);
}

/**
 * Return the seed `steps` places further up the chain. Each seed is the SHA-256 of the one below it.
 * @param {string} seed
 * @param {number} steps
 */
export async function computeChainSeed(seed, steps) {
  let above = seed;
  for (let step = 0; step < steps; step += 1) above = await computeCommitment(above);
  return above;
}

/**
 * @param {number} decks
 * @param {number[]} dealt
 */
function countRest(decks, dealt) {
  const counts = Array.from({ length: FACES }, () => decks);
  for (const face of dealt) counts[face] -= 1;
  return counts;
}

/** @param {number} face */
function writeCode(face) {
  return SUITS[Math.floor(face / FACES_A_SUIT)] + RANKS[face % FACES_A_SUIT];
}
