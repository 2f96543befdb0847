/** Messages of the table protocol as text, the server's clock, and repeated messages. */

import assert from "node:assert/strict";
import { test } from "node:test";

import "./support.js";
import { SeenMessages } from "../../static/tables/js/seen-messages.js";
import { createMessageId, ExactNumber, readMessage, ServerClock, writeExact } from "../../static/tables/js/wire.js";

test("two thousand ids are remembered", () => {
  const seen = new SeenMessages();
  for (let number = 0; number <= 2000; number += 1) assert.equal(seen.takeNew(String(number)), true);
  assert.deepEqual(["1", "2000", "0"].map((id) => seen.takeNew(id)), [false, false, true]);
});

test("an amount goes over the wire as a number that no float has touched", () => {
  const message = { type: "submit_action", payload: { amount: new ExactNumber("90071992547409.93"), side: undefined } };
  assert.equal(writeExact(message), '{"type":"submit_action","payload":{"amount":90071992547409.93}}');
});

test("an amount that is no plain decimal number is refused", () => {
  assert.throws(() => new ExactNumber("1e3"), /no plain decimal number/);
  assert.throws(() => new ExactNumber("1,000"), /no plain decimal number/);
});

test("texts, lists and nothing are written as JSON has them", () => {
  assert.equal(writeExact({ a: ['x"y', null, true], b: 5 }), '{"a":["x\\"y",null,true],"b":5}');
});

test("numbers are read as the texts that came", () => {
  const message = readMessage('{"type":"ack","messageId":"m","balance":90071992547409.93}');
  assert.equal(message.balance, "90071992547409.93");
});

test("ids are UUIDs of version 4 and differ", () => {
  const ids = new Set(Array.from({ length: 50 }, createMessageId));
  assert.equal(ids.size, 50);
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("a deadline is counted by the message that was on its way for the shortest time", () => {
  let own = 1000;
  const clock = new ServerClock(() => own);
  clock.take(500_000); // took long
  own = 2000;
  clock.take(501_400);
  own = 3000;
  assert.equal(clock.countLeft(512_400), 10_000);
  own = 60_000;
  assert.equal(clock.countLeft(512_400), 0);
});

test("before any message nothing is said of the time that is left", () => {
  assert.equal(new ServerClock(() => 0).countLeft(10), 0);
});

test("a message that comes again is told from a new one, and the last one is remembered", () => {
  const seen = new SeenMessages();
  assert.equal(seen.lastId, "");
  assert.equal(seen.takeNew("one"), true);
  assert.equal(seen.takeNew("two"), true);
  assert.equal(seen.takeNew("one"), false);
  assert.equal(seen.lastId, "two");
});
