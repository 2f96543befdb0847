// @ts-check
/**
 * Blackjack's rules for the page of a round's bundle: from the cards, their hands and the decisions to the payout of
 * each bet.
 *
 * The page has this text in it, so it imports nothing. A test compares it with the engine.
 */

/** @typedef {import("../bundles/files/settling.js").Settling} Settling */

const RANKS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
const NATURAL = 22;
const BUST = 0;

/**
 * Return the payout of each bet, its stake included, in smallest units; null if the bundle has no hands of the cards.
 * @param {Settling} settling
 * @returns {bigint[] | null}
 */
export function settle({ played, cards, terms, stakes, addWinnings }) {
  if (!cards.places.length) return null;
  checkFirstDeal(cards.places, terms.rules.dealer_peek);
  const { hands, dealer, firstTwo } = dealHands(cards.dealt, cards.places, played.seat);
  const givenUp = played.bets.filter((bet) => bet.result === "Surrender").length;
  const surrenders = played.decisions.filter(({ action }) => action.toLowerCase() === "surrender").length;
  if (givenUp !== surrenders) throw new Error("not every hand that was surrendered has a decision");
  return played.bets.map(({ bet, hand, result }, index) => {
    const stake = stakes[index];
    if (bet === "hand") return addHand({ stake, result, hand: hands[hand ?? 0], isSplit: hands.length > 1, dealer, rules: terms.rules });
    if (bet === "insurance") return findRank(dealer, false) === NATURAL ? 3n * stake : 0n;
    const outcome = bet === "perfectPairs" ? findPair(firstTwo) : findPoker([...firstTwo, dealer[0]]);
    return outcome in terms.odds ? addWinnings(stake, terms.odds[outcome]) : 0n;
  });
}

/**
 * The first cards are dealt in turn: each seat, the dealer, each seat, the hole card.
 * @param {string[]} places
 * @param {boolean} dealerPeek
 */
function checkFirstDeal(places, dealerPeek) {
  const hands = places.slice(0, places.indexOf("D"));
  const seats = hands.map((place) => Number(place.split(":")[0]));
  const first = [...hands, "D", ...hands, ...(dealerPeek ? ["H"] : [])];
  const isInTurn = seats.length > 0 && seats.every((seat, index) => !index || seat > seats[index - 1]);
  if (!isInTurn || first.some((place, index) => places[index] !== place)) throw new Error("the first cards were not dealt in turn");
}

/**
 * Return the player's hands, the dealer's cards with the upcard first, and the player's first two cards.
 *
 * At a table the player's places begin with the number of its seat, and other seats' cards are left out.
 * @param {string[]} cards
 * @param {string[]} places
 * @param {number | null | undefined} seat
 */
function dealHands(cards, places, seat) {
  /** @type {string[][]} */
  const hands = [[]];
  /** @type {string[]} */
  const dealer = [];
  /** @type {string[]} */
  const firstTwo = [];
  const rest = [...cards];
  const own = typeof seat === "number" ? `${seat}:` : "";
  for (const place of places) {
    const isOwn = place.startsWith(own);
    const index = parseInt(place.slice(own.length), 10) - 1;
    if (place.endsWith("/")) {
      if (isOwn) hands.splice(index, 1, ...hands[index].map((card) => [card]));
      continue;
    }
    const card = rest.shift();
    if (card === undefined) throw new Error("there are fewer cards than places");
    if (place === "D" || place === "H") dealer.push(card);
    else if (isOwn) {
      hands[index].push(card);
      if (firstTwo.length < 2) firstTwo.push(card);
    }
  }
  if (rest.length) throw new Error("there are more cards than places");
  return { hands, dealer, firstTwo };
}

/**
 * Return the payout of a hand.
 * @param {{ stake: bigint, result: string | null, hand: string[], isSplit: boolean, dealer: string[], rules: Record<string, any> }} played
 */
function addHand({ stake, result, hand, isSplit, dealer, rules }) {
  const own = findRank(hand, isSplit);
  if (result === "Surrender") return stake / 2n;
  if (own === BUST) return 0n;
  const theirs = findRank(dealer, false);
  if (own === NATURAL && theirs !== NATURAL) {
    const [pays, to] = rules.blackjack_pays.split(":").map(BigInt);
    return stake + (stake * pays) / to;
  }
  if (theirs !== NATURAL) checkDealerStops(dealer, rules.dealer_hits_soft_17);
  if (own === theirs) return stake;
  return own > theirs ? 2n * stake : 0n;
}

/**
 * The dealer draws as many cards as the rules say.
 * @param {string[]} dealer
 * @param {boolean} hitsSoft17
 */
function checkDealerStops(dealer, hitsSoft17) {
  for (let count = 2; count <= dealer.length; count += 1) {
    const total = countHand(dealer.slice(0, count));
    const isSoft = total !== countHard(dealer.slice(0, count));
    const isDone = total > 17 || (total === 17 && !(isSoft && hitsSoft17));
    if (isDone !== (count === dealer.length)) throw new Error("the dealer drew another number of cards than the rules say");
  }
}

/**
 * Return 22 for a natural, 0 for a bust hand, else the value. A card that nobody saw makes no natural.
 * @param {string[]} hand
 * @param {boolean} isSplit
 */
function findRank(hand, isSplit) {
  if (hand.includes("?")) return 1;
  const total = countHand(hand);
  if (total === 21 && hand.length === 2 && !isSplit) return NATURAL;
  return total <= 21 ? total : BUST;
}

/** @param {string[]} hand */
function countHand(hand) {
  const hard = countHard(hand);
  return hard <= 11 && hand.some((card) => countPoints(card) === 1) ? hard + 10 : hard;
}

/** @param {string[]} hand */
function countHard(hand) {
  return hand.reduce((sum, card) => sum + countPoints(card), 0);
}

/**
 * The ace is 1.
 * @param {string} card
 */
function countPoints(card) {
  const place = RANKS.indexOf(card.slice(1));
  if (place < 0) throw new Error(`${card} is no card`);
  return Math.min(place + 1, 10);
}

/**
 * Return the kind of pair of the first two cards.
 * @param {string[]} cards
 */
function findPair([one, two]) {
  if (one.slice(1) !== two.slice(1)) return "";
  if (one === two) return "perfectPair";
  return "HD".includes(one[0]) === "HD".includes(two[0]) ? "colouredPair" : "mixedPair";
}

/**
 * Return the best poker hand of three cards.
 * @param {string[]} cards
 */
function findPoker(cards) {
  const ranks = cards.map((card) => RANKS.indexOf(card.slice(1))).sort((one, other) => one - other);
  const isFlush = new Set(cards.map((card) => card[0])).size === 1;
  if (ranks[0] === ranks[2]) return isFlush ? "suitedTrips" : "threeOfAKind";
  const isRow = ranks[1] === ranks[0] + 1 && ranks[2] === ranks[0] + 2;
  if (isRow || String(ranks) === "0,11,12") return isFlush ? "straightFlush" : "straight";
  return isFlush ? "flush" : "";
}
