// @ts-check
/** Describes the result of a finished blackjack round in sentences and amounts. */

import { tell } from "/static/portal/js/words.js";

/**
 * @typedef {import("./round.js").Round} Round
 * @typedef {import("./round.js").SideResult} SideResult
 * @typedef {import("/static/portal/js/currency.js").Currency} Currency
 *
 * Amounts in smallest units, and a sentence for each stake.
 * @typedef {{ staked: bigint, back: bigint, lines: string[] }} Outcome
 */

/** The results of a hand with which a title can begin. */
const TITLED = new Set(["Blackjack", "Bust", "Surrender"]);

/**
 * Return stake, payout, and a sentence for each stake.
 * @param {Round} round
 * @param {Currency} currency
 * @returns {Outcome}
 */
export function sumUpRound(round, currency) {
  const stakes = listStakes(round);
  const parsed = stakes.map(({ label, words, stake, payout }) => ({
    label, words, stake: currency.parse(stake), payout: currency.parse(payout),
  }));
  return {
    staked: parsed.reduce((sum, { stake }) => sum + stake, 0n),
    back: parsed.reduce((sum, { payout }) => sum + payout, 0n),
    lines: parsed.map(({ label, words, stake, payout }) =>
      tell("bet-line", { bet: label, result: words, back: currency.format(payout), stake: currency.format(stake) })),
  };
}

/**
 * Return the results of side bets and insurance so far.
 * @param {Round} round
 * @param {Currency} currency
 */
export function describeSideBets({ perfectPairs, poker, insurance }, currency) {
  /** @type {[string, SideResult | null][]} */
  const results = [["Perfect Pairs", perfectPairs], ["21+3", poker], [tell("bet-insurance"), insurance]];
  return results.flatMap(([label, result]) => {
    if (!result) return [];
    const units = currency.parse(result.payout);
    const values = { bet: label, result: tell(`side-${result.status}`), back: currency.format(units) };
    return [{ text: tell(units > 0n ? "bet-result-back" : "bet-result", values), isWon: units > 0n }];
  });
}

/**
 * Return the title of the outcome.
 * @param {Round} round
 * @param {Outcome} outcome
 * @param {Currency} currency
 */
export function titleOutcome(round, { staked, back }, currency) {
  if (back > staked) return titleGain(round, back - staked, currency);
  if (back < staked) return titleHand(round, tell("net-lost", { amount: currency.formatWithCode(staked - back) }));
  return titleHand(round, tell(round.hands.length === 1 && round.hands[0].status === "Push" ? "title-push" : "title-even"));
}

/**
 * Return the title of an outcome that brings a gain.
 * @param {Round} round
 * @param {bigint} units
 * @param {Currency} currency
 */
export function titleGain(round, units, currency) {
  return titleHand(round, tell("net-won", { amount: currency.formatWithCode(units) }));
}

/**
 * Return the result of the round's only hand with the change of the balance, if a title begins with that result.
 * @param {Round} round
 * @param {string} net
 */
function titleHand({ hands }, net) {
  const only = hands.length === 1 ? hands[0].status : "";
  return TITLED.has(only) ? `${tell(`title-${only}`)} ${net}` : net;
}

/**
 * Return the stake and the payout of each spot. Insurance has no spot.
 * @param {Round} round
 * @param {Currency} currency
 */
export function listSpotPayouts({ hands, bets, perfectPairs, poker }, currency) {
  const sum = (/** @type {"stake" | "payout"} */ member) => hands.reduce((all, hand) => all + currency.parse(hand[member]), 0n);
  const sides = /** @type {const} */ ([["perfectPairs", bets.perfectPairs, perfectPairs], ["poker", bets.poker, poker]]);
  return [
    { spot: "main", stake: sum("stake"), payout: sum("payout") },
    ...sides.map(([spot, stake, result]) => ({ spot, stake: currency.parse(stake), payout: currency.parse(result?.payout ?? "0") })),
  ];
}

/** @param {Round} round */
function listStakes({ hands, bets, perfectPairs, poker, insurance, insuranceStake }) {
  const stakes = hands.map(({ status, stake, payout }, index) => ({
    label: hands.length > 1 ? tell("hand-number", { number: String(index + 1) }) : tell("hand-yours"),
    words: status ? tell(`status-${status}`) : "",
    stake,
    payout,
  }));
  if (perfectPairs) stakes.push(describeSide("Perfect Pairs", perfectPairs, bets.perfectPairs));
  if (poker) stakes.push(describeSide("21+3", poker, bets.poker));
  if (Number(insuranceStake)) {
    stakes.push(describeSide(tell("bet-insurance"), insurance ?? { status: "insurance_pending", payout: "0" }, insuranceStake));
  }
  return stakes;
}

/**
 * @param {string} label
 * @param {SideResult} result
 * @param {string} stake
 */
function describeSide(label, { status, payout }, stake) {
  return { label, words: tell(`side-${status}`), stake, payout };
}
