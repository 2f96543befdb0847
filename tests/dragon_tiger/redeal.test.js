/** The page "Check a round" deals dragon tiger as the server does. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { findWinner, nameRank } from "../../apps/dragon_tiger/static/dragon_tiger/ranks.js";
import { redeal } from "../../apps/dragon_tiger/static/dragon_tiger/redeal.js";
import { makeTell, VECTORS } from "../js/support.js";

const tell = makeTell("apps/dragon_tiger/words.py", "apps/portal/script_words.py");
const PARAMS = { cardCount: 0, places: [] };

test("the first card of a shoe goes to the dragon, the second to the tiger", () => {
  for (const { cards } of VECTORS) {
    const shoe = cards.split(" ");
    const round = redeal(shoe, PARAMS, tell);
    assert.deepEqual([round.cards, round.labels], [shoe.slice(0, 2), ["Dragon", "Tiger"]]);
  }
});

test("a round says how it ended", () => {
  const endings = ["HK S2", "H1 S2", "HQ SQ", "C10 C10"].map((cards) => redeal(cards.split(" "), PARAMS, tell).outcome);
  assert.deepEqual(endings, [
    "Dragon wins, king over 2.", "Tiger wins, 2 over ace.", "Tie, queen on both sides.", "Suited tie, 10 on both sides.",
  ]);
});

test("of two ranks the one nearer to the king wins", () => {
  const ranks = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
  for (const [dragonPlace, dragon] of ranks.entries()) {
    for (const [tigerPlace, tiger] of ranks.entries()) {
      const lead = Math.sign(dragonPlace - tigerPlace);
      const winner = { "-1": "tiger", 0: "tie", 1: "dragon" }[String(lead)];
      assert.equal(findWinner({ dragon: [`H${dragon}`], tiger: [`S${tiger}`] }), winner, `${dragon} against ${tiger}`);
    }
  }
  assert.deepEqual(["H1", "S10", "DJ", "CQ", "HK"].map((code) => nameRank(code, tell)), ["ace", "10", "jack", "queen", "king"]);
});
