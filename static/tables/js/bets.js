// @ts-check
/** The possible bets of a betting window, and the messages that place them. Pure. */

import { fitStakes } from "../../portal/js/stakes.js";
import { ExactNumber } from "./wire.js";

/**
 * A place to stake on; amounts in smallest units.
 * @typedef {object} BetPlace
 * @property {string} name  on the wire; "main" if the game has one main bet
 * @property {string} field  of `place_bet` that takes the stake
 * @property {bigint} minimum
 * @property {bigint} maximum
 * @property {bigint} step  stakes are multiples of it, as the limits are
 * @property {string} odds  X to 1; empty if the window does not state them
 *
 * @typedef {import("../../portal/js/stakes.js").Stakes} Stakes  by the names of the places, none of them 0
 * @typedef {Record<string, any>} Action  one of `availableActions`; its numbers are texts
 * @typedef {import("../../portal/js/currency.js").Currency} Currency
 */

export const MAIN_BET = "main";
const AMOUNT = "amount";

/**
 * Return the places of a window. A game with one main bet lists limits of it and of each side bet; another lists types of bets.
 * @param {Action[]} actions
 * @param {Currency} currency
 * @returns {BetPlace[]}
 */
export function listPlaces(actions, currency) {
  const placing = actions.find(({ type }) => type === "place_bet");
  if (!placing) return [];
  /** @param {Action} limits */
  const readLimits = ({ minAmount, maxAmount, step: stepAmount }) => {
    const step = stepAmount ? currency.parse(stepAmount) : 1n;
    const [minimum, maximum] = [currency.parse(minAmount) + step - 1n, currency.parse(maxAmount)].map((units) => units - (units % step));
    return { minimum, maximum, step };
  };
  if (placing.betTypes) {
    return placing.betTypes.map((/** @type {Action} */ bet) => ({
      name: bet.betType, field: AMOUNT, odds: bet.odds ?? "", ...readLimits(bet),
    }));
  }
  const sides = Object.entries(placing).filter(([, member]) => member && typeof member === "object" && member.maxAmount);
  return [
    { name: MAIN_BET, field: AMOUNT, odds: "", ...readLimits(placing) },
    ...sides.map(([name, limits]) => ({ name, field: name, odds: "", ...readLimits(limits) })),
  ];
}

/**
 * Return whether a chip adds to the stake. If not, a new stake replaces the old one.
 * @param {Action[]} actions
 */
function isAdding(actions) {
  return actions.some(({ type, betTypes }) => type === "place_bet" && betTypes);
}

/**
 * A message that changes the stakes, and the stakes after it.
 * @typedef {{ payload: Record<string, unknown>, change: (stakes: Stakes) => Stakes }} BetMessage
 */

/**
 * Return the messages that lead from some stakes to others. If a chip adds to the stake, a lower stake needs a withdrawal
 * of all bets, after which the others are placed again.
 * @param {Stakes} from
 * @param {Stakes} to
 * @param {{ places: BetPlace[], actions: Action[], currency: Currency }} window
 * @returns {BetMessage[]}
 */
export function listMessages(from, to, { places, actions, currency }) {
  const clearing = { payload: { action: "clear_bets" }, change: () => new Map() };
  if (!to.size) return from.size ? [clearing] : [];
  if (!isAdding(actions)) return [{ payload: writeWholeBet(to, places, currency), change: () => new Map(to) }];
  const isLower = [...from].some(([name, units]) => (to.get(name) ?? 0n) < units);
  const start = isLower ? new Map() : from;
  const added = [...to].flatMap(([name, units]) => {
    const more = units - (start.get(name) ?? 0n);
    return more > 0n ? [createAddition(name, more, currency)] : [];
  });
  return isLower ? [clearing, ...added] : added;
}

/**
 * @param {string} betType
 * @param {bigint} units
 * @param {Currency} currency
 * @returns {BetMessage}
 */
function createAddition(betType, units, currency) {
  return {
    payload: { action: "place_bet", betType, amount: new ExactNumber(currency.formatPlain(units)) },
    change: (stakes) => new Map(stakes).set(betType, (stakes.get(betType) ?? 0n) + units),
  };
}

/**
 * Return the stakes that a window takes: each at most its maximum, without closed bets, without those below their minimum,
 * and without side bets alone.
 * @param {Stakes} stakes
 * @param {BetPlace[]} places
 * @returns {Stakes}
 */
export function fitToWindow(stakes, places) {
  const find = (/** @type {string} */ name) => findLimits(name, places);
  const fitting = [...fitStakes(stakes, places.map(({ name }) => name), find)].filter(([name, units]) => units && units >= find(name).minimum);
  const isWithoutMain = places[0]?.name === MAIN_BET && !fitting.some(([name]) => name === MAIN_BET);
  return new Map(isWithoutMain ? [] : fitting);
}

/**
 * Return the limits of a place. A bet that is not offered has the limit zero.
 * @param {string} name
 * @param {BetPlace[]} places
 * @returns {import("../../portal/js/stakes.js").Limits}
 */
export function findLimits(name, places) {
  return places.find((place) => place.name === name) ?? { minimum: 0n, maximum: 0n };
}

/**
 * Return the payload that stakes exactly this, of a game with one main bet.
 * @param {Stakes} stakes
 * @param {BetPlace[]} places
 * @param {Currency} currency
 */
function writeWholeBet(stakes, places, currency) {
  const fields = places.flatMap(({ name, field }) => {
    const units = stakes.get(name) ?? 0n;
    return units ? [[field, new ExactNumber(currency.formatPlain(units))]] : [];
  });
  return { action: "place_bet", ...Object.fromEntries(fields) };
}
