/** The totals of hands, in words. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { openPage } from "./support.js";

openPage("apps/blackjack/words.py");
const { describeHand } = await import("../../apps/blackjack/static/blackjack/totals.js");
const { tell } = await import("../../static/portal/js/words.js");

test("two cards of twenty-one are a blackjack, unless they come from a split or a third card lies there", () => {
  assert.equal(describeHand({ cards: ["D1", "HJ"] }, tell), "blackjack");
  assert.equal(describeHand({ cards: ["D1", "HJ"], isSplit: true }, tell), "21");
  assert.equal(describeHand({ cards: ["D7", "H7", "S7"] }, tell), "21");
  assert.equal(describeHand({ cards: ["D1", "H6"] }, tell), "soft 17");
});
