// @ts-check
/**
 * The contributions of this browser to the client seeds of tables. Each is made after the commitment of the table's
 * chain (s_0), so the house could not choose the chain to suit it. The browser keeps it, so that the page can check its
 * use.
 */

import { createRandomHex } from "../../portal/js/random.js";
import { readStored, writeStored } from "../../portal/js/stored.js";

/**
 * A seat's contribution to a round's client seed.
 * @typedef {{ seat: number | string, clientSeed: string }} Contribution
 */

const STORE = "punto-contributions";
const CONTRIBUTION_BYTES = 16;
const MAX_KEPT = 40;

/**
 * Return this browser's contribution under a chain. The first call makes it.
 * @param {string} tableId
 * @param {string} chainCommitment  s_0, which the browser has to have seen
 */
export function findContribution(tableId, chainCommitment) {
  const kept = readKept();
  const name = `${tableId}:${chainCommitment}`;
  const found = kept.find(([key]) => key === name);
  if (found) return found[1];
  const made = createRandomHex(CONTRIBUTION_BYTES);
  writeStored(STORE, JSON.stringify([...kept, [name, made]].slice(-MAX_KEPT)));
  return made;
}

/**
 * Return whether this browser has contributed under a chain.
 * @param {string} tableId
 * @param {string} chainCommitment
 */
export function hasContribution(tableId, chainCommitment) {
  return readKept().some(([key]) => key === `${tableId}:${chainCommitment}`);
}

/**
 * Return all contributions of this browser at a table, under any chain.
 * @param {string} tableId
 */
export function listContributions(tableId) {
  return readKept().filter(([key]) => key.startsWith(`${tableId}:`)).map(([, contribution]) => contribution);
}

/**
 * Return whether a contribution of this browser is among those of a round.
 * @param {Contribution[]} contributions
 * @param {string[]} given
 */
export function hasTakenPart(contributions, given) {
  return contributions.some(({ clientSeed }) => given.includes(clientSeed));
}

/** @returns {[key: string, contribution: string][]} */
function readKept() {
  return JSON.parse(readStored(STORE) ?? "[]");
}
