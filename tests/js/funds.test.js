/** What a player can stake, and what a tab keeps for its player. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { openBrowser } from "./browser.js";

openBrowser();
Object.assign(document, { querySelectorAll: () => [], dispatchEvent: () => true });
const { isAsDealt, dealRoundAgain } = await import("../../static/portal/js/dealt-again.js");
const { Currency } = await import("../../static/portal/js/currency.js");
const { Funds } = await import("../../static/portal/js/funds.js");
const { TabStore } = await import("../../static/portal/js/tab-store.js");
const FUN = new Currency("FUN", 2);

test("a stake that was just sent is spent until it is refused", () => {
  const funds = new Funds(FUN, "10");
  funds.showSpent(400n);
  assert.equal(funds.units, 600n);
  funds.showUnspent();
  assert.equal(funds.units, 1000n);
  funds.showSpent(1001n);
  assert.equal(funds.units, 0n);
});

test("the server's balance is not replaced by the one before the stake", () => {
  const funds = new Funds(FUN, "10");
  funds.showSpent(400n);
  funds.take("26");
  funds.showUnspent();
  assert.equal(funds.units, 2600n);
});

test("a tab keeps nothing of a visitor, and nothing of another player", () => {
  const identity = { player: "" };
  const store = new TabStore("a-bet", identity);
  store.write("of a visitor");
  assert.equal(store.read(), null);
  identity.player = "ann";
  store.write("of ann");
  assert.equal(store.read(), "of ann");
  identity.player = "ben";
  assert.equal(store.read(), null);
  identity.player = "ann";
  assert.equal(store.read(), null); // it was removed
});

test("a card that was never shown fits each card, and a shown one itself alone", async () => {
  assert.deepEqual([isAsDealt("H5", "?"), isAsDealt("H5", "H5"), isAsDealt("H5", "S5"), isAsDealt("?", "H5")], [true, true, false, false]);
  const proof = { serverSeed: "seed", commitment: "", clientSeed: "punto", nonce: 0, decks: 8, places: [] };
  const game = { redeal: (/** @type {string[]} */ shoe) => ({ cards: shoe.slice(0, 4), labels: [] }) };
  const { round } = await dealRoundAgain({ ...proof, cards: [] }, /** @type {any} */ (game));
  for (const [cards, isSame] of /** @type {[string[], boolean][]} */ ([[round.cards, true], [round.cards.slice(0, 3), false], [["?", ...round.cards.slice(1)], true]])) {
    assert.equal((await dealRoundAgain({ ...proof, cards }, /** @type {any} */ (game))).isSame, isSame);
  }
});
