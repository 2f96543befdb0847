/** The last bets and the favourite are remembered by game, currency and player. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { BetMemory } from "../../static/portal/js/bet-memory.js";
import { Currency } from "../../static/portal/js/currency.js";

/** @type {Map<string, string>} */
const kept = new Map();
/** @type {Pick<Storage, "getItem" | "setItem">} */
const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => kept.set(key, text) };
Object.defineProperty(globalThis, "localStorage", { value: storage });

const FUN = new Currency("FUN", 2);
const BTC = new Currency("BTC", 8);
const STAKES = new Map([["main", 2550n], ["poker", 100n]]);

const ANN = { player: "1" };
const BEN = { player: "2" };
const VISITOR = { player: "" };

test("bets are those of one game in one currency, also after a reload", () => {
  new BetMemory("blackjack", FUN, ANN).last = STAKES;
  assert.deepEqual(new BetMemory("blackjack", FUN, ANN).last, STAKES);
  assert.equal(new BetMemory("blackjack", BTC, ANN).last.size, 0);
  assert.equal(new BetMemory("baccarat", FUN, ANN).last.size, 0);
  assert.equal(new BetMemory("blackjack", FUN, ANN).favourite.size, 0);
  new BetMemory("blackjack", BTC, ANN).last = new Map([["main", 50000n]]);
  assert.deepEqual(new BetMemory("blackjack", FUN, ANN).last, STAKES);
  assert.deepEqual(new BetMemory("blackjack", BTC, ANN).last, new Map([["main", 50000n]]));
});

test("a player does not get what another one has bet in this browser", () => {
  new BetMemory("blackjack", FUN, ANN).last = STAKES;
  assert.equal(new BetMemory("blackjack", FUN, BEN).last.size, 0);
  assert.equal(new BetMemory("blackjack", FUN, VISITOR).last.size, 0);
  assert.deepEqual(new BetMemory("blackjack", FUN, ANN).last, STAKES);
});

test("a visitor who becomes a guest keeps the favourite", () => {
  const guest = { player: "" };
  const memory = new BetMemory("baccarat", FUN, guest);
  memory.favourite = STAKES;
  guest.player = "3";
  assert.deepEqual(memory.favourite, STAKES);
});

test("what cannot be read counts as no bets", () => {
  for (const name of kept.keys()) kept.set(name, "{");
  assert.equal(new BetMemory("blackjack", FUN, ANN).last.size, 0);
});
