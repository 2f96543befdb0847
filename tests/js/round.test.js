/** The points of a blackjack round that are shown one by one. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { applyUpdate, listDealerSteps } from "../../apps/blackjack/static/blackjack/round.js";

const BETS = { main: "10", perfectPairs: "0", poker: "0" };
const TEN = { value: 10, suit: 0, index: 9 };
const SIX = { value: 6, suit: 1, index: 5 };

/** A round that waits for the player's move, twenty against six. */
const before = applyUpdate(null, {
  roundId: "r", action: "Bet", data: {
    nextActions: ["Hit", "Stand"], handOwner: "Player", handIndex: 0, dealerHand: { cards: [SIX] },
    playerHands: [{ cards: [TEN, TEN], betAmount: "10" }],
  },
}, BETS);

/**
 * @param {string} action
 * @param {object[]} dealer
 * @param {object} hand
 */
function makeEndedRound(action, dealer, hand) {
  const data = {
    nextActions: [], roundEnded: true, payout: "20", balance: "110", dealerHand: { cards: dealer }, playerHands: [hand],
  };
  return applyUpdate(before, { roundId: "r", action, data }, BETS);
}

test("before each of the dealer's cards there is a point at which nothing is decided", () => {
  const steps = listDealerSteps(before, makeEndedRound("Stand", [TEN, TEN], { status: "Win", payout: "20" }));
  assert.deepEqual(steps.map(({ dealer }) => dealer), [["D6"], ["D6", "H10"]]);
  for (const { owner, ended, balance, hands } of steps) {
    assert.deepEqual([owner, ended, balance, hands[0].status, hands[0].payout], ["Dealer", false, null, "", "0"]);
  }
});

test("the player's last card lies there before the dealer plays", () => {
  const [first] = listDealerSteps(before, makeEndedRound("Double", [TEN], { cards: [SIX], betAmount: "20", status: "Lose", payout: "0" }));
  assert.deepEqual([first.hands[0].cards, first.hands[0].stake, first.dealer], [["H10", "H10", "D6"], "20", ["D6"]]);
});

test("where the dealer has nothing to play the end is shown at once", () => {
  assert.deepEqual(listDealerSteps(before, makeEndedRound("Hit", [TEN], { cards: [SIX], status: "Bust", payout: "0" })), []);
  assert.deepEqual(listDealerSteps(before, makeEndedRound("Surrender", [TEN], { status: "Surrender", payout: "5" })), []);
});

test("a dealer who is played card by card takes no further steps", () => {
  const playing = { ...before, owner: "Dealer", nextActions: ["Hit"] };
  assert.deepEqual(listDealerSteps(playing, makeEndedRound("Hit", [TEN], { status: "Win", payout: "20" })), []);
});
