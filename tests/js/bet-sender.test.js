/** A bet over HTTP: it is sent until it is answered, placed once, and only for the player who made it. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { answerJson, browser, createIdentity, openBrowser } from "./browser.js";

const { BetSender } = await import("../../static/portal/js/bet-sender.js");

const BODY = '{"bets":[]}';
const PLACED = { round_id: "r1", balance: 9.5 };

/** @type {number[]} */
let retries;

beforeEach(() => {
  openBrowser();
  retries = [];
});

/** @param {Awaited<ReturnType<typeof createIdentity>>} identity */
function createSender(identity) {
  return new BetSender({ url: "/bet", identity, onRetry: (status) => retries.push(status) });
}

/** Return the bets that the server has received. */
function listBets() {
  return browser.asked.filter(({ url }) => url === "/bet").map(({ headers }) => headers);
}

/**
 * Answer a request for a session with a player's, and a bet with `answerBet`.
 * @param {string} player
 * @param {() => Response | Promise<Response> | null} answerBet
 */
function answerFor(player, answerBet) {
  browser.answer = ({ url }) => (url === "/session" ? answerJson({ gameSessionId: `of ${player}`, player }) : answerBet());
}

/** An answer that never comes. @returns {Promise<Response>} */
function hold() {
  return new Promise(() => {});
}

/**
 * Send a bet, let the time pass, and return how it was refused.
 * @param {Promise<unknown>} sending
 * @returns {Promise<import("../../static/portal/js/refusals.js").Refusal>}
 */
async function waitForRefusal(sending) {
  const refused = sending.then(() => assert.fail("the bet was placed"), (refusal) => refusal);
  await browser.wait(60_000);
  return refused;
}

test("a bet without an answer is sent again by its player, under its key", async () => {
  answerFor("7", hold);
  createSender(await createIdentity("7")).send(BODY);
  await browser.wait();
  answerFor("7", () => answerJson(PLACED));
  const sender = createSender(await createIdentity("7")); // after a reload
  const { unanswered } = sender;
  assert.ok(unanswered);
  assert.deepEqual(await sender.sendAgain(unanswered), { round_id: "r1", balance: "9.5" });
  assert.equal(new Set(listBets().map((headers) => headers["Idempotency-Key"])).size, 1);
  assert.equal(listBets().length, 2);
  assert.equal(sender.unanswered, null);
});

test("a bet without an answer is forgotten when another player has logged in", async () => {
  answerFor("7", hold);
  createSender(await createIdentity("7")).send(BODY);
  await browser.wait();
  assert.equal(createSender(await createIdentity("8")).unanswered, null);
  assert.equal(createSender(await createIdentity("")).unanswered, null);
  assert.equal(createSender(await createIdentity("7")).unanswered, null);
});

test("a visitor's bet is the guest's whom its session makes", async () => {
  answerFor("9", hold);
  createSender(await createIdentity("")).send(BODY);
  await browser.wait();
  assert.equal(browser.asked[0].form.player, "");
  assert.equal(createSender(await createIdentity("9")).unanswered?.body, BODY);
});

test("the server is told whose page asks for a session", async () => {
  answerFor("7", () => answerJson(PLACED));
  await createSender(await createIdentity("7")).send(BODY);
  assert.equal(browser.asked[0].form.player, "7");
  assert.equal(listBets()[0].Authorization, "Bearer of 7");
});

test("without a session nothing is sent, now or later", async () => {
  browser.answer = () => answerJson({ code: "RATE_LIMITED", page: "/guest/full/" }, 429);
  const refusal = await waitForRefusal(createSender(await createIdentity("")).send(BODY));
  assert.deepEqual([refusal.code, refusal.isUnknown, browser.visited], ["RATE_LIMITED", false, ["/guest/full/"]]);
  assert.equal(listBets().length, 0);
  for (const player of ["", "9"]) assert.equal(createSender(await createIdentity(player)).unanswered, null);
});

test("a log-out is told at once", async () => {
  browser.answer = () => answerJson({ code: "AUTHENTICATION_FAILED" }, 401);
  const refusal = await waitForRefusal(createSender(await createIdentity("7")).send(BODY));
  assert.deepEqual([refusal.status, refusal.isUnknown, browser.asked.length], [401, false, 1]);
});

test("too many sessions at once are waited out", async () => {
  let isBusy = true;
  answerFor("7", () => answerJson(PLACED));
  const { answer } = browser;
  browser.answer = (asked) => {
    if (!isBusy) return answer(asked);
    isBusy = false;
    return new Response("Too Many Requests", { status: 429, headers: { "Retry-After": "1" } });
  };
  const sending = createSender(await createIdentity("7")).send(BODY);
  await browser.wait(900);
  assert.equal(browser.asked.length, 1);
  await browser.wait(100);
  assert.equal((await sending).round_id, "r1");
  assert.deepEqual(retries, [429]);
});

test("too many bets for long are a refusal, which changed nothing", async () => {
  answerFor("7", () => answerJson({ code: "RATE_LIMITED" }, 429));
  const refusal = await waitForRefusal(createSender(await createIdentity("7")).send(BODY));
  assert.deepEqual([refusal.code, refusal.isUnknown, listBets().length], ["RATE_LIMITED", false, 6]);
});

test("after six faults of the server it is not known whether the bet was placed", async () => {
  for (const [status, code] of /** @type {const} */ ([[500, "INTERNAL_ERROR"], [503, "SERVICE_UNAVAILABLE"], [504, "SERVICE_UNAVAILABLE"]])) {
    openBrowser();
    answerFor("7", () => new Response("<html>", { status }));
    const refusal = await waitForRefusal(createSender(await createIdentity("7")).send(BODY));
    assert.deepEqual([refusal.code, refusal.isUnknown, listBets().length], [code, true, 6]);
    assert.equal(new Set(listBets().map((headers) => headers["Idempotency-Key"])).size, 1);
    assert.equal(createSender(await createIdentity("7")).unanswered, null); // else it would be dealt after the player's next bet
  }
});

test("an answer that cannot be read is no word about the bet", async () => {
  answerFor("7", () => new Response("<html>log in to this network</html>"));
  const refusal = await waitForRefusal(createSender(await createIdentity("7")).send(BODY));
  assert.equal(refusal.isUnknown, true);
});

test("without a network the bet is tried until there is one", async () => {
  answerFor("7", () => null);
  const sending = createSender(await createIdentity("7")).send(BODY);
  await browser.wait(300_000);
  assert.ok(retries.length > 20);
  assert.deepEqual(new Set(retries), new Set([0]));
  answerFor("7", () => answerJson(PLACED));
  await browser.wait(8000);
  assert.equal((await sending).round_id, "r1");
});

test("a refusal after a lost answer says nothing about the bet", async () => {
  const answers = [() => null, () => answerJson({ code: "AUTHENTICATION_FAILED" }, 401)];
  answerFor("7", () => answers[Math.min(listBets().length, 2) - 1]());
  const refusal = await waitForRefusal(createSender(await createIdentity("7", { token: "launched" })).send(BODY));
  assert.deepEqual([refusal.status, refusal.isUnknown], [401, true]);
});

test("a bet that the server refuses was not placed", async () => {
  answerFor("7", () => answerJson({ code: "INSUFFICIENT_FUNDS" }, 403));
  const sender = createSender(await createIdentity("7"));
  const refusal = await waitForRefusal(sender.send(BODY));
  assert.deepEqual([refusal.code, refusal.isUnknown, sender.unanswered], ["INSUFFICIENT_FUNDS", false, null]);
});

test("a browser that stores nothing bets as others do", async () => {
  Object.defineProperty(globalThis, "sessionStorage", { configurable: true, get: () => { throw new Error("storage is refused"); } });
  answerFor("7", () => answerJson(PLACED));
  assert.equal((await createSender(await createIdentity("7")).send(BODY)).round_id, "r1");
});
