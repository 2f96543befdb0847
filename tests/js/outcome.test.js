/** The title of a finished round of blackjack, which names the change of the balance. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Currency } from "../../static/portal/js/currency.js";
import { openPage } from "./support.js";

openPage("apps/blackjack/words.py", "apps/portal/script_words.py", "apps/portal/words.py");
const { sumUpRound, titleGain, titleOutcome } = await import("../../apps/blackjack/static/blackjack/outcome.js");

const FUN = new Currency("FUN", 2);

/**
 * @param {string} status  of the only hand, with ten staked
 * @param {string} payout
 * @param {Partial<import("../../apps/blackjack/static/blackjack/round.js").Round>} sides
 */
function makeRound(status, payout, sides = {}) {
  return {
    roundId: "r", bets: { main: "10", perfectPairs: "0", poker: "5" }, dealer: ["D10", "H9"], owner: "Player", handIndex: 0, nextActions: [],
    hands: [{ cards: ["H10", "C9"], stake: "10", isSplit: false, status, payout }],
    perfectPairs: null, poker: null, insurance: null, insuranceStake: "0", ended: true, balance: "100", ...sides,
  };
}

/** @param {ReturnType<typeof makeRound>} round */
function title(round) {
  return titleOutcome(round, sumUpRound(round, FUN), FUN);
}

test("a push alone says that the stake comes back", () => {
  assert.equal(title(makeRound("Push", "10")), "Push: your stake comes back.");
});

test("a push whose side bet lost or won says what was lost or won", () => {
  assert.equal(title(makeRound("Push", "10", { poker: { status: "sidebetLost", payout: "0" } })), "You lose 5.00\u00a0FUN.");
  assert.equal(title(makeRound("Push", "10", { poker: { status: "flush", payout: "30" } })), "You win 25.00\u00a0FUN.");
});

test("a push whose insurance lost says what was lost", () => {
  const lost = { insuranceStake: "2.5", insurance: { status: "insurance_lost", payout: "0" } };
  assert.equal(title(makeRound("Push", "10", lost)), "You lose 2.50\u00a0FUN.");
});

test("a title begins with how the only hand ended, also while its gain counts up", () => {
  const natural = makeRound("Blackjack", "25");
  assert.equal(title(natural), "Blackjack! You win 15.00\u00a0FUN.");
  assert.equal(titleGain(natural, 0n, FUN), "Blackjack! You win 0.00\u00a0FUN.");
  assert.equal(title(makeRound("Bust", "0")), "Bust. You lose 10.00\u00a0FUN.");
  assert.equal(title(makeRound("Lose", "0", { insuranceStake: "5", insurance: { status: "insurance_won", payout: "15" } })), "You get back what you staked.");
});
