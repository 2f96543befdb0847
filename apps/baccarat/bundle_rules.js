// @ts-check
/** Baccarat's rules for the page of a round's bundle: from the cards in dealing order to the payout of each bet.
 *
 * The page has this text in it, so it imports nothing. A test compares it with the engine.
 */

/** @typedef {import("../bundles/files/settling.js").Settling} Settling */

/** By the banker's score with two cards: the points of the player's third card with which the banker draws. */
const DRAWS_ON = /** @type {Record<number, string>} */ ({ 3: "012345679", 4: "234567", 5: "4567", 6: "67", 7: "" });

/**
 * Return the payout of each bet, its stake included, in smallest units.
 * @param {Settling} settling
 */
export function settle({ played, cards, terms, stakes, addWinnings }) {
  const wins = listWins(cards.dealt);
  return played.bets.map(({ bet }, index) => {
    if (wins[bet] === undefined) throw new Error(`there is no bet ${bet}`);
    if (wins[bet]) return addWinnings(stakes[index], terms.odds[bet]);
    const isSide = bet === "BaccaratGameBetOnPlayer" || bet === "BaccaratGameBetOnBanker";
    return isSide && wins.BaccaratGameBetTie ? stakes[index] : 0n;
  });
}

/**
 * Return for each bet whether it wins.
 * @param {string[]} cards
 * @returns {Record<string, boolean>}
 */
function listWins(cards) {
  const { player, banker } = dealSides(cards);
  const [p, b] = [scoreHand(player), scoreHand(banker)];
  const pairs = [player, banker].map(([one, two]) => one.slice(1) === two.slice(1));
  return {
    BaccaratGameBetOnPlayer: p > b,
    BaccaratGameBetOnBanker: b > p,
    BaccaratGameBetTie: p === b,
    BaccaratGameBetPlayerPair: pairs[0],
    BaccaratGameBetBankerPair: pairs[1],
    BaccaratGameBetEitherPair: pairs.includes(true),
    BaccaratGameBetPerfectPair: player[0] === player[1] || banker[0] === banker[1],
    BaccaratGameBetDragon7: b === 7 && banker.length === 3 && p < 7,
    BaccaratGameBetPanda8: p === 8 && player.length === 3 && b < 8,
    BaccaratGameBetSuper6: b === 6 && p < 6,
  };
}

/**
 * Return both sides' cards. All cards must be used up by the rules.
 * @param {string[]} cards
 */
function dealSides(cards) {
  const [player, banker, rest] = [[cards[0], cards[2]], [cards[1], cards[3]], cards.slice(4)];
  const [p, b] = [scoreHand(player), scoreHand(banker)];
  if (p < 8 && b < 8) {
    const third = p <= 5 ? rest.shift() : undefined;
    if (third) player.push(third);
    const draws = third ? b < 3 || DRAWS_ON[b].includes(String(countPoints(third))) : b <= 5;
    const last = draws ? rest.shift() : undefined;
    if (last) banker.push(last);
    if (draws !== Boolean(last) || p <= 5 !== Boolean(third)) throw new Error("there are fewer cards than the rules deal");
  }
  if (rest.length) throw new Error("there are more cards than the rules deal");
  return { player, banker };
}

/** @param {string[]} cards */
function scoreHand(cards) {
  return cards.reduce((sum, card) => sum + countPoints(card), 0) % 10;
}

/** @param {string} card */
function countPoints(card) {
  const rank = card.slice(1);
  return ["10", "J", "Q", "K"].includes(rank) ? 0 : Number(rank);
}
