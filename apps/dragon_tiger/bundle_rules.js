// @ts-check
/** Dragon tiger's rules for the page of a round's bundle: from the cards in dealing order to the payout of each bet.
 *
 * The page has this text in it, so it imports nothing. A test compares it with the engine.
 */

/** @typedef {import("../bundles/files/settling.js").Settling} Settling */

const RANKS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];

/**
 * Return the payout of each bet, its stake included, in smallest units.
 * @param {Settling} settling
 */
export function settle({ played, cards, terms, stakes, addWinnings }) {
  if (cards.dealt.length !== 2) throw new Error("the rules deal two cards");
  const [dragon, tiger] = cards.dealt;
  const [d, t] = cards.dealt.map((card) => RANKS.indexOf(card.slice(1)));
  /** @type {Record<string, boolean>} */
  const wins = {
    DragonTigerGameBetDragon: d > t,
    DragonTigerGameBetTiger: t > d,
    DragonTigerGameBetTie: d === t,
    DragonTigerGameBetSuitedTie: dragon === tiger,
  };
  return played.bets.map(({ bet }, index) => {
    if (wins[bet] === undefined) throw new Error(`there is no bet ${bet}`);
    if (wins[bet]) return addWinnings(stakes[index], terms.odds[bet]);
    const isSide = bet === "DragonTigerGameBetDragon" || bet === "DragonTigerGameBetTiger";
    return isSide && d === t ? stakes[index] / 2n : 0n;
  });
}
