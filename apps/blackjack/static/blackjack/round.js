/**
 * A blackjack round as the socket tells it: a whole state, or what an action has changed. Pure.
 *
 * A round here is `{ roundId, bets: { main, perfectPairs, poker }, hands, dealer, owner, handIndex, nextActions,
 * perfectPairs, poker, insurance, insuranceStake, ended, payout, balance, proof }`; amounts are texts, cards codes.
 */

const SUITS = "HDCS";
const RANKS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];

/** Return the round after the answer to a `RoundAction`; `bets` is what a Bet was sent with. */
export function applyUpdate(before, { action, roundId, data }, bets) {
  const round = action === "Bet" ? empty(roundId, bets) : structuredClone(before);
  round.dealer.push(...(data.dealerHand?.cards ?? []).map(code));
  if (data.playerHands) {
    const isWhole = action === "Bet" || action === "Split";
    round.hands = data.playerHands.map((hand, index) => (isWhole ? wholeHand(hand) : changedHand(round.hands[index], hand)));
  }
  round.nextActions = data.nextActions ?? [];
  round.owner = data.handOwner ?? round.owner;
  round.handIndex = data.handIndex ?? round.handIndex;
  round.perfectPairs = data.perfectPairs ?? round.perfectPairs;
  round.poker = data.poker ?? round.poker;
  round.insurance = data.insurance ?? round.insurance;
  round.ended = Boolean(data.roundEnded);
  if (round.ended) {
    round.payout = data.payout;
    round.balance = data.balance;
  }
  return round;
}

/** Return the round that a `RoundState` message describes. */
export function roundOf({ roundId, data, roundEnded }) {
  return {
    roundId,
    bets: { main: data.betAmount ?? "0", perfectPairs: data.perfecPairsBetAmount ?? "0", poker: data.pokerBetAmount ?? "0" },
    hands: data.playerHands.map(wholeHand),
    dealer: data.dealerHand.cards.map(code),
    owner: data.handOwner ?? "Player",
    handIndex: data.handIndex ?? 0,
    nextActions: data.nextActions ?? [],
    perfectPairs: data.perfectPairs ?? null,
    poker: data.poker ?? null,
    insurance: data.insurance ?? null,
    insuranceStake: data.insuranceAmount ?? "0",
    ended: Boolean(roundEnded),
    payout: data.payout ?? null,
    balance: data.balance ?? null,
    proof: { commitment: data.serverSeedHash, clientSeed: data.clientSeed, nonce: data.nonce },
  };
}

/** Say whether two rounds, of which either may be null, are one at the same point. */
export function isSame(one, other) {
  return Boolean(one && other) && JSON.stringify(pointOf(one)) === JSON.stringify(pointOf(other));
}

/** Return the value of a hand: aces count eleven as long as that does not bust it. */
export function handTotal(cards) {
  const values = cards.map((card) => Math.min(RANKS.indexOf(card.slice(1)) + 1, 10));
  const hard = values.reduce((sum, value) => sum + value, 0);
  const isSoft = values.includes(1) && hard + 10 <= 21;
  return { value: isSoft ? hard + 10 : hard, isSoft };
}

/** Say whether the hand is a natural: two cards of 21, never split. */
export function isNatural({ cards, isSplit }) {
  return !isSplit && cards.length === 2 && handTotal(cards).value === 21;
}

/** Return the words for a total: "soft 17", "20". */
export function totalWords(cards) {
  const { value, isSoft } = handTotal(cards);
  return isSoft && value < 21 && cards.length > 1 ? `soft ${value}` : String(value);
}

/** Return what tells a point of a round from the others: an ended one waits for nobody. */
function pointOf({ roundId, ended, dealer, hands, owner, handIndex, nextActions }) {
  const cards = hands.map(({ cards: held, stake, status }) => [held, stake, status]);
  return [roundId, ended, dealer, cards, ended ? [] : [owner, handIndex, nextActions.toSorted()]];
}

function empty(roundId, bets) {
  return {
    roundId, bets, hands: [], dealer: [], owner: "Player", handIndex: 0, nextActions: [], perfectPairs: null, poker: null,
    insurance: null, insuranceStake: "0", ended: false, payout: null, balance: null, proof: null,
  };
}

function code({ suit, index }) {
  return SUITS[suit] + RANKS[index];
}

function wholeHand({ cards, betAmount, isSplit = false, status = "", payout = "0" }) {
  return { cards: cards.map(code), stake: betAmount, isSplit, status, payout };
}

function changedHand(hand, change) {
  return {
    ...hand,
    cards: [...hand.cards, ...(change.cards ?? []).map(code)],
    stake: change.betAmount ?? hand.stake,
    status: change.status ?? hand.status,
    payout: change.payout ?? hand.payout,
  };
}
