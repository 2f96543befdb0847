/** Each game's redeal.js gives each player the cards that the server gave. fairness.test.js draws the cards. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { dealSides, redeal as redealBaccarat } from "../../apps/baccarat/static/baccarat/redeal.js";
import { scoreHand } from "../../apps/baccarat/static/baccarat/score.js";
import { redeal as redealBlackjack } from "../../apps/blackjack/static/blackjack/redeal.js";
import { redeal as redealDragonTiger } from "../../apps/dragon_tiger/static/dragon_tiger/redeal.js";
import { makeTell, readText, VECTORS } from "./support.js";

const tell = makeTell("apps/baccarat/words.py", "apps/blackjack/words.py", "apps/dragon_tiger/words.py", "apps/portal/script_words.py");
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const SHOE = "S6 H10 D5 C6 H4 S9 D2 H3 H1 D1 C1 S1 H7 H8 H9".split(" ");

/**
 * A shoe of zeros, but the banker's two cards and the third that the player takes.
 * @param {number} bankerScore
 * @param {number} third
 */
function makeShoe(bankerScore, third) {
  return ["HK", `H${bankerScore || "Q"}`, "SK", "DK", third ? `C${third}` : "C10", "SJ"];
}

/** @returns {Map<number, Set<number>>} by the banker's score, the points of the third card that the page lets it draw on */
function readTable() {
  const lines = readText("docs/baccarat.md").split("\n");
  const start = lines.findIndex((line) => line.startsWith("| banker's score |"));
  const points = Array.from({ length: 10 }, (_, index) => index);
  const table = new Map();
  for (const line of lines.slice(start + 2, start + 8)) {
    const [scores, words] = line.split("|").slice(1, 3).map((cell) => cell.trim());
    const numbers = Array.from(words.matchAll(/\d/g), ([digit]) => Number(digit));
    let drawn = points.filter((point) => point >= numbers[0] && point <= numbers[1]);
    if (words === "anything") drawn = points;
    if (words.startsWith("anything but")) drawn = points.filter((point) => !numbers.includes(point));
    if (words.startsWith("nothing")) drawn = [];
    for (const score of scores.split(", ")) table.set(Number(score), new Set(drawn));
  }
  return table;
}

test("baccarat is dealt as the server dealt the vectors", () => {
  for (const { cards, player, banker } of VECTORS) {
    const dealt = dealSides(cards.split(" "));
    assert.deepEqual([dealt.player.join(" "), dealt.banker.join(" ")], [player, banker]);
  }
});

test("the banker draws on a third card of the player's as the rules' table says", () => {
  const table = readTable();
  assert.deepEqual([...table.keys()], [0, 1, 2, 3, 4, 5, 6, 7]);
  for (const [bankerScore, drawsOn] of table) {
    for (let third = 0; third < 10; third += 1) {
      const { player, banker } = dealSides(makeShoe(bankerScore, third));
      assert.equal(player.length, 3);
      assert.equal(banker.length === 3, drawsOn.has(third), `banker ${bankerScore}, third card ${third}`);
    }
  }
});

test("a natural ends the deal, and without a third card of the player's the banker draws up to five", () => {
  assert.equal(dealSides(["H8", "HK", "DK", "SK", "H1", "H2"]).sides.length, 4);
  assert.equal(dealSides(["HK", "H9", "DK", "SK", "H1", "H2"]).sides.length, 4);
  assert.deepEqual(dealSides(["H6", "H5", "DK", "SK", "H1"]).banker, ["H5", "SK", "H1"]);
  assert.deepEqual(dealSides(["H6", "H6", "DK", "SK", "H1"]).banker, ["H6", "SK"]);
});

test("a round of baccarat says to whom each card went, and the scores", () => {
  const shoe = "H3 D7 S10 D9 D7 S8 H7 S1".split(" ");
  assert.deepEqual(redealBaccarat(shoe, { cardCount: 0, places: [] }, tell), {
    cards: shoe.slice(0, 6),
    labels: ["Player", "Banker", "Player", "Banker", "Player", "Banker"],
    outcome: `Player ${scoreHand(["H3", "S10", "D7"])}, banker 4.`,
  });
});

test("a round of dragon tiger is one card to each side, and the higher one wins", () => {
  const round = redealDragonTiger(SHOE, { cardCount: 0, places: [] }, tell);
  assert.deepEqual(round, { cards: ["S6", "H10"], labels: ["Dragon", "Tiger"], outcome: "Tiger wins, 10 over 6." });
  const endings = /** @type {const} */ ([
    [["H7", "S1"], "Dragon wins, 7 over ace."], [["HQ", "SK"], "Tiger wins, king over queen."],
    [["H7", "S7"], "Tie, 7 on both sides."], [["H7", "H7"], "Suited tie, 7 on both sides."],
  ]);
  for (const [cards, outcome] of endings) assert.equal(redealDragonTiger([...cards], { cardCount: 0, places: [] }, tell).outcome, outcome);
});

test("a round of blackjack whose places are not told is its first cards in dealing order", () => {
  const round = redealBlackjack(SHOE, { cardCount: 0, places: [] }, tell);
  assert.deepEqual(round.cards, SHOE.slice(0, 12));
  assert.deepEqual(round.labels.slice(0, 5), ["You", "Dealer", "You", "Dealer's second", "Next"]);
  assert.deepEqual(redealBlackjack(SHOE, { cardCount: 5, places: [] }, tell).cards, SHOE.slice(0, 5));
});

test("a round of blackjack lies as its record says", () => {
  const round = redealBlackjack(SHOE, { cardCount: 5, places: "1 D 1 H 1".split(" ") }, tell);
  assert.deepEqual(round.labels, ["You", "Dealer", "You", "Hole card", "You"]);
  assert.deepEqual(round.hands, [
    { label: "Dealer", cards: ["H10", "C6"], total: "16" },
    { label: "You", cards: ["S6", "D5", "H4"], total: "15" },
  ]);
  assert.ok(round.note);
});

test("two cards of 21 are blackjack, and after a split they are not", () => {
  const shoe = ["S10", "H1", "DJ", "CQ", "H1", "C1"];
  const round = redealBlackjack(shoe, { cardCount: 6, places: "1 D 1 H 1/ 1 2".split(" ") }, tell);
  assert.deepEqual(round.hands?.map(({ label, total }) => `${label}: ${total}`), ["Dealer: blackjack", "Hand 1: 21", "Hand 2: 21"]);
});

const PLACES = /** @type {const} */ ([
  ["1 D 1 H 1 D", "Dealer=bdf You=ace"],
  ["1 D 1 1 D", "Dealer=be You=acd"],
  ["1 D 1 H 1/ 1 2 1/ 1 2 3", "Dealer=bd Hand 1=ag Hand 2=eh Hand 3=cfi"],
  ["1 D 1 H 1/ 1 2 2/ 2 3 1", "Dealer=bd Hand 1=aei Hand 2=cg Hand 3=fh"],
]);

test("splits move the hands above them up by one", () => {
  for (const [text, placed] of PLACES) {
    const places = text.split(" ");
    const cardCount = places.filter((place) => !place.endsWith("/")).length;
    const shoe = SHOE.slice(0, cardCount);
    const { hands = [] } = redealBlackjack(shoe, { cardCount, places }, tell);
    const letters = hands.map(({ label, cards }) => `${label}=${cards.map((card) => LETTERS[shoe.indexOf(card)]).join("")}`);
    assert.equal(letters.join(" "), placed);
  }
});

test("places that no round has are a problem, and the cards are shown without them", () => {
  for (const text of ["1 D 1 H 2", "1 D 1 1 1/ 1", "1 D 1 X", "1 D 1 H 0", "1 D 1 H"]) {
    const round = redealBlackjack(SHOE, { cardCount: 5, places: text.split(" ") }, tell);
    assert.ok(round.problem, text);
    assert.equal(round.hands, undefined);
    assert.equal(round.labels[0], "You");
  }
});
