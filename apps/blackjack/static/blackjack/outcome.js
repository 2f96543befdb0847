/** What a finished round of blackjack came to, in words. Pure: a round in, sentences and amounts out. */

import { shown, unitsOf } from "/static/portal/js/money.js";

const HAND_WORDS = { Blackjack: "blackjack", Win: "won", Push: "push", Lose: "lost", Bust: "bust", Surrender: "surrendered" };
const SIDE_WORDS = {
  perfectPair: "perfect pair", colouredPair: "coloured pair", mixedPair: "mixed pair", suitedTrips: "suited trips",
  straightFlush: "straight flush", threeOfAKind: "three of a kind", straight: "straight", flush: "flush",
  sidebetLost: "lost", insurance_won: "won", insurance_lost: "lost", insurance_declined: "declined", insurance_pending: "open",
};

/** Return `{ staked, back, lines }`: all stakes and all that came back, in smallest units, and one sentence each. */
export function outcomeOf(round, { decimals }) {
  const units = (text) => unitsOf(text ?? "0", decimals);
  const lines = [];
  let staked = 0n;
  let back = 0n;
  const add = (label, words, stake, payout) => {
    staked += stake;
    back += payout;
    lines.push({ text: `${label}: ${words}, ${shown(payout, decimals)} back for ${shown(stake, decimals)}`, gain: payout - stake });
  };
  round.hands.forEach((hand, index) => {
    const label = round.hands.length > 1 ? `Hand ${index + 1}` : "Your hand";
    add(label, HAND_WORDS[hand.status] ?? hand.status, units(hand.stake), units(hand.payout));
  });
  if (round.perfectPairs) add("Perfect Pairs", SIDE_WORDS[round.perfectPairs.status], units(round.bets.perfectPairs), units(round.perfectPairs.payout));
  if (round.poker) add("21+3", SIDE_WORDS[round.poker.status], units(round.bets.poker), units(round.poker.payout));
  if (units(round.insuranceStake)) add("Insurance", SIDE_WORDS[round.insurance?.status] ?? "open", units(round.insuranceStake), units(round.insurance?.payout));
  return { staked, back, lines };
}

/** Return what became of side bets and insurance so far, `{ text, isWon }` each. */
export function sideTags(round, { decimals }) {
  const found = [["Perfect Pairs", round.perfectPairs], ["21+3", round.poker], ["Insurance", round.insurance]];
  return found.filter(([, result]) => result).map(([label, { payout, status }]) => {
    const units = unitsOf(payout, decimals);
    return { text: `${label}: ${SIDE_WORDS[status]}${units > 0n ? `, ${shown(units, decimals)} back` : ""}`, isWon: units > 0n };
  });
}

/** Return the title of the outcome. */
export function outcomeTitle(round, { staked, back }, amount) {
  const only = round.hands.length === 1 ? round.hands[0].status : "";
  const start = { Blackjack: "Blackjack! ", Bust: "Bust. ", Surrender: "Surrendered. " }[only] ?? "";
  if (back > staked) return `${start}You win ${amount(back - staked)}.`;
  if (back < staked) return `${start}You lose ${amount(staked - back)}.`;
  return only === "Push" ? "Push: your stake comes back." : `${start}You get back what you staked.`;
}
