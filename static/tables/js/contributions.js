// @ts-check
/**
 * What this browser has given to the client seeds of tables. It is made after the table's chain was committed to (s_0), so the
 * house could not answer to it, and it is kept so that the page can see that it took part.
 */

import { createRandomHex } from "../../portal/js/random.js";

/**
 * A seat's part of a round's client seed.
 * @typedef {{ seat: number | string, clientSeed: string }} Contribution
 */

const STORE = "punto-contributions";
const CONTRIBUTION_BYTES = 16;
const KEPT_MAX = 40;

/**
 * Return what this browser contributes under a chain; made when it is asked for first.
 * @param {string} tableId
 * @param {string} chainCommitment  s_0, which the browser has to have seen
 */
export function findContribution(tableId, chainCommitment) {
  const kept = readKept();
  const name = `${tableId}:${chainCommitment}`;
  const found = kept.find(([key]) => key === name);
  if (found) return found[1];
  const made = createRandomHex(CONTRIBUTION_BYTES);
  localStorage.setItem(STORE, JSON.stringify([...kept, [name, made]].slice(-KEPT_MAX)));
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
 * Return what this browser has contributed at a table, under whatever chain.
 * @param {string} tableId
 */
export function listContributions(tableId) {
  return readKept().filter(([key]) => key.startsWith(`${tableId}:`)).map(([, contribution]) => contribution);
}

/**
 * Return whether something that this browser gave is among a round's contributions.
 * @param {Contribution[]} contributions
 * @param {string[]} given
 */
export function hasTakenPart(contributions, given) {
  return contributions.some(({ clientSeed }) => given.includes(clientSeed));
}

/** @returns {[key: string, contribution: string][]} */
function readKept() {
  return JSON.parse(localStorage.getItem(STORE) ?? "[]");
}
