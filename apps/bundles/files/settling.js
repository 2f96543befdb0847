// @ts-check
/** What the page of a bundle gives a game's rules (`bundle_rules.js` in its folder): types alone. */

/**
 * @typedef {object} Settling
 * @property {{ seat?: number | null, bets: { bet: string, hand: number | null, result: string | null }[],
 *   decisions: { action: string }[] }} played round.json
 * @property {{ dealt: string[], places: string[] }} cards cards.json
 * @property {Record<string, any>} terms the rules, and the odds of each bet or outcome as texts
 * @property {bigint[]} stakes by bet, in the currency's smallest units
 * @property {(stake: bigint, odds: string) => bigint} addWinnings returns a stake with its winnings, cut down to a unit
 */

export {};
