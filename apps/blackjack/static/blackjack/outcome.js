// @ts-check
/** Describes the result of a finished blackjack round in sentences and amounts. Pure. */

/**
 * @typedef {import("./round.js").Round} Round
 * @typedef {import("./round.js").SideResult} SideResult
 * @typedef {import("/static/portal/js/currency.js").Currency} Currency
 *
 * Amounts in smallest units, and a sentence for each stake.
 * @typedef {{ staked: bigint, back: bigint, lines: string[] }} Outcome
 */

/** @type {Record<string, string>} */
const HAND_WORDS = { Blackjack: "blackjack", Win: "won", Push: "push", Lose: "lost", Bust: "bust", Surrender: "surrendered" };
/** @type {Record<string, string>} */
const SIDE_WORDS = {
  perfectPair: "perfect pair", colouredPair: "coloured pair", mixedPair: "mixed pair", suitedTrips: "suited trips",
  straightFlush: "straight flush", threeOfAKind: "three of a kind", straight: "straight", flush: "flush",
  sidebetLost: "lost", insurance_won: "won", insurance_lost: "lost", insurance_declined: "declined", insurance_pending: "open",
};
/** @type {Record<string, string>} */
const TITLES = { Blackjack: "Blackjack! ", Bust: "Bust. ", Surrender: "Surrendered. " };

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
      `${label}: ${words}, ${currency.format(payout)} back for ${currency.format(stake)}`),
  };
}

/**
 * Return the results of side bets and insurance so far.
 * @param {Round} round
 * @param {Currency} currency
 */
export function describeSideBets({ perfectPairs, poker, insurance }, currency) {
  /** @type {[string, SideResult | null][]} */
  const results = [["Perfect Pairs", perfectPairs], ["21+3", poker], ["Insurance", insurance]];
  return results.flatMap(([label, result]) => {
    if (!result) return [];
    const units = currency.parse(result.payout);
    const back = units > 0n ? `, ${currency.format(units)} back` : "";
    return [{ text: `${label}: ${SIDE_WORDS[result.status]}${back}`, isWon: units > 0n }];
  });
}

/**
 * Return the title of the outcome.
 * @param {Round} round
 * @param {Outcome} outcome
 * @param {Currency} currency
 */
export function titleOutcome({ hands }, { staked, back }, currency) {
  const only = hands.length === 1 ? hands[0].status : "";
  const start = TITLES[only] ?? "";
  if (back > staked) return `${start}You win ${currency.formatWithCode(back - staked)}.`;
  if (back < staked) return `${start}You lose ${currency.formatWithCode(staked - back)}.`;
  return only === "Push" ? "Push: your stake comes back." : `${start}You get back what you staked.`;
}

/** @param {Round} round */
function listStakes({ hands, bets, perfectPairs, poker, insurance, insuranceStake }) {
  const stakes = hands.map(({ status, stake, payout }, index) => ({
    label: hands.length > 1 ? `Hand ${index + 1}` : "Your hand", words: HAND_WORDS[status] ?? status, stake, payout,
  }));
  if (perfectPairs) stakes.push(describeSide("Perfect Pairs", perfectPairs, bets.perfectPairs));
  if (poker) stakes.push(describeSide("21+3", poker, bets.poker));
  if (Number(insuranceStake)) {
    stakes.push(describeSide("Insurance", insurance ?? { status: "insurance_pending", payout: "0" }, insuranceStake));
  }
  return stakes;
}

/**
 * @param {string} label
 * @param {SideResult} result
 * @param {string} stake
 */
function describeSide(label, { status, payout }, stake) {
  return { label, words: SIDE_WORDS[status] ?? "open", stake, payout };
}
