// @ts-check
/** Reads a blackjack round from the socket's messages: a whole state, or the changes of an action. Pure. */

/**
 * Amounts are texts, cards are codes.
 * @typedef {object} Hand
 * @property {string[]} cards
 * @property {string} stake
 * @property {boolean} isSplit
 * @property {string} status  empty until the hand has ended
 * @property {string} payout
 *
 * The result of a side bet or an insurance.
 * @typedef {{ payout: string, status: string }} SideResult
 *
 * @typedef {{ main: string, perfectPairs: string, poker: string }} Bets
 *
 * @typedef {object} Round
 * @property {string} roundId
 * @property {Bets} bets
 * @property {Hand[]} hands
 * @property {string[]} dealer
 * @property {string} owner  whose turn it is: `Player` or `Dealer`
 * @property {number} handIndex
 * @property {string[]} nextActions
 * @property {SideResult | null} perfectPairs
 * @property {SideResult | null} poker
 * @property {SideResult | null} insurance
 * @property {string} insuranceStake
 * @property {boolean} ended
 * @property {string | null} balance  once the round has ended
 *
 * A card, a hand and a message on the wire (docs/protocol.md).
 * @typedef {{ suit: number, index: number }} WireCard
 * @typedef {{ cards?: WireCard[], betAmount?: string, isSplit?: boolean, status?: string, payout?: string }} WireHand
 * `currency` and `decimals` are those of an open round in a page's data.
 * @typedef {{ roundId: string, action?: string, roundEnded?: boolean, data: Record<string, any>,
 *   currency?: string, decimals?: number }} WireRound
 */

/** Statuses of a hand that ends before the dealer plays. */
const EARLY_ENDS = new Set(["Bust", "Surrender", "Blackjack"]);
/** Actions before the hands are played: a round that ends with one of them ends by the dealer's natural. */
const ASKED = new Set(["Peek"]);
const SUITS = "HDCS";
const RANKS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];

/**
 * Return the round after the answer to a `RoundAction`.
 * @param {Round | null} before  null for a Bet alone
 * @param {WireRound} message
 * @param {Bets} bets  what a Bet was sent with
 * @returns {Round}
 */
export function applyUpdate(before, { action, roundId, data }, bets) {
  const round = before && action !== "Bet" ? structuredClone(before) : createRound(roundId, bets);
  round.dealer.push(...(data.dealerHand?.cards ?? []).map(readCard));
  if (data.playerHands) {
    const isWhole = action === "Bet" || action === "Split";
    round.hands = data.playerHands.map(
      /**
       * @param {WireHand} hand
       * @param {number} index
       */
      (hand, index) => (isWhole ? readHand(hand) : changeHand(round.hands[index], hand)),
    );
  }
  round.nextActions = data.nextActions ?? [];
  round.owner = data.handOwner ?? round.owner;
  round.handIndex = data.handIndex ?? round.handIndex;
  round.perfectPairs = data.perfectPairs ?? round.perfectPairs;
  round.poker = data.poker ?? round.poker;
  round.insurance = data.insurance ?? round.insurance;
  round.ended = Boolean(data.roundEnded);
  if (round.ended) round.balance = data.balance;
  return round;
}

/**
 * Return the round that a `RoundState` message describes.
 * @param {WireRound} message
 * @returns {Round}
 */
export function readRound({ roundId, data, roundEnded }) {
  return {
    roundId,
    bets: { main: data.betAmount ?? "0", perfectPairs: data.perfecPairsBetAmount ?? "0", poker: data.pokerBetAmount ?? "0" },
    hands: data.playerHands.map(readHand),
    dealer: data.dealerHand.cards.map(readCard),
    owner: data.handOwner ?? "Player",
    handIndex: data.handIndex ?? 0,
    nextActions: data.nextActions ?? [],
    perfectPairs: data.perfectPairs ?? null,
    poker: data.poker ?? null,
    insurance: data.insurance ?? null,
    insuranceStake: data.insuranceAmount ?? "0",
    ended: Boolean(roundEnded),
    balance: data.balance ?? null,
  };
}

/**
 * Return the states between the player's last action and the end of a round, if the answer includes the dealer's play.
 * There is one before each of the dealer's cards, without later results.
 * @param {Round | null} before
 * @param {Round} after
 * @returns {Round[]}
 */
export function listDealerSteps(before, after) {
  const isPlayed = after.hands.some(({ status }) => status && !EARLY_ENDS.has(status));
  if (!before || before.owner !== "Player" || ASKED.has(before.nextActions[0]) || !after.ended || !isPlayed) return [];
  const hands = after.hands.map((hand) => (EARLY_ENDS.has(hand.status) ? hand : { ...hand, status: "", payout: "0" }));
  return after.dealer.slice(before.dealer.length).map((_card, index) => ({
    ...after, hands, dealer: after.dealer.slice(0, before.dealer.length + index), owner: "Dealer", ended: false, balance: null,
  }));
}

/**
 * Return whether both are the same round in the same state.
 * @param {Round | null} one
 * @param {Round | null} other
 */
export function isSameRound(one, other) {
  return Boolean(one && other && JSON.stringify(describePoint(one)) === JSON.stringify(describePoint(other)));
}

/**
 * Return the texts that identify a state of a round. An ended round has no turn.
 * @param {Round} round
 */
function describePoint({ roundId, ended, dealer, hands, owner, handIndex, nextActions }) {
  const cards = hands.map(({ cards: held, stake, status }) => [held, stake, status]);
  return [roundId, ended, dealer, cards, ended ? [] : [owner, handIndex, [...nextActions].sort()]];
}

/**
 * @param {string} roundId
 * @param {Bets} bets
 * @returns {Round}
 */
function createRound(roundId, bets) {
  return {
    roundId, bets, hands: [], dealer: [], owner: "Player", handIndex: 0, nextActions: [], perfectPairs: null, poker: null,
    insurance: null, insuranceStake: "0", ended: false, balance: null,
  };
}

/** @param {WireCard} card */
function readCard({ suit, index }) {
  return SUITS[suit] + RANKS[index];
}

/**
 * @param {WireHand} hand
 * @returns {Hand}
 */
function readHand({ cards = [], betAmount = "0", isSplit = false, status = "", payout = "0" }) {
  return { cards: cards.map(readCard), stake: betAmount, isSplit, status, payout };
}

/**
 * @param {Hand} hand
 * @param {WireHand} change
 * @returns {Hand}
 */
function changeHand(hand, change) {
  return {
    ...hand,
    cards: [...hand.cards, ...(change.cards ?? []).map(readCard)],
    stake: change.betAmount ?? hand.stake,
    status: change.status ?? hand.status,
    payout: change.payout ?? hand.payout,
  };
}
