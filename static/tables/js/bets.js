// @ts-check
/** What may be staked in a betting window, and how it is sent. Pure. */

import { ExactNumber } from "./wire.js";

/**
 * A place to stake on; amounts in smallest units.
 * @typedef {object} BetPlace
 * @property {string} name  on the wire; "main" where the game has one main bet
 * @property {string} field  of `place_bet` that takes the stake
 * @property {bigint} minimum
 * @property {bigint} maximum
 * @property {bigint} step  stakes are multiples of it
 * @property {string} odds  X to 1; empty where the window does not say
 *
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
  const readLimits = ({ minAmount, maxAmount, step }) => ({
    minimum: currency.parse(minAmount), maximum: currency.parse(maxAmount), step: step ? currency.parse(step) : 1n,
  });
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
 * Return whether a chip adds to what is staked; else a stake replaces the one before.
 * @param {Action[]} actions
 */
export function isAdding(actions) {
  return actions.some(({ type, betTypes }) => type === "place_bet" && betTypes);
}

/**
 * Return the payload that stakes more on a place of a game with types of bets.
 * @param {string} betType
 * @param {bigint} units
 * @param {Currency} currency
 */
export function writeAddedBet(betType, units, currency) {
  return { action: "place_bet", betType, amount: new ExactNumber(currency.formatPlain(units)) };
}

/**
 * Return the payload that stakes exactly this, of a game with one main bet.
 * @param {Map<string, bigint>} stakes  by the names of the places
 * @param {BetPlace[]} places
 * @param {Currency} currency
 */
export function writeWholeBet(stakes, places, currency) {
  const fields = places.flatMap(({ name, field }) => {
    const units = stakes.get(name) ?? 0n;
    return units ? [[field, new ExactNumber(currency.formatPlain(units))]] : [];
  });
  return { action: "place_bet", ...Object.fromEntries(fields) };
}

/**
 * Return the stakes without what the places do not take any more: a bet that is closed, or a stake outside of the limits.
 * @param {Map<string, bigint>} stakes
 * @param {BetPlace[]} places
 */
export function fitStakes(stakes, places) {
  const fitting = places.flatMap(({ name, minimum, maximum }) => {
    const units = stakes.get(name) ?? 0n;
    return units >= minimum && units <= maximum && units ? [/** @type {[string, bigint]} */ ([name, units])] : [];
  });
  return new Map(fitting);
}
