/**
 * Actions over the socket: they are one player's alone and are sent until they are answered. No connection is made
 * without need.
 */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { answerJson, browser, createIdentity, openBrowser } from "./browser.js";

const { GameSocket } = await import("../../static/portal/js/game-socket.js");

/** @typedef {import("../../static/portal/js/game-socket.js").RefusedAction} RefusedAction */

/** @type {string[]} */
let states;
/** @type {RefusedAction[]} */
let refusals;
/** @type {import("../../static/portal/js/game-socket.js").Answer[]} */
let answers;

beforeEach(() => {
  openBrowser();
  browser.answer = ({ form }) => answerJson({ gameSessionId: `of ${form.player || "guest"}`, player: form.player || "guest" });
  [states, refusals, answers] = [[], [], []];
});

/** @param {string} player */
async function createSocket(player) {
  return new GameSocket({
    url: "ws://game", game: "g", identity: await createIdentity(player), preferences: {},
    listeners: {
      onConnection: (state) => states.push(state),
      onAnswer: (answer) => answers.push(answer),
      onRefusal: (refusal) => refusals.push(refusal),
      onConfig: () => {},
    },
  });
}

/** Accept the connection and the session. */
async function openConnection() {
  await browser.wait();
  browser.socket.open();
  browser.socket.say({ eventType: "Authenticate" });
  await browser.wait();
}

/** Return what was sent to the server as actions. */
function listActions() {
  return browser.sockets.flatMap(({ sent }) => sent).filter(({ eventType }) => eventType === "RoundAction");
}

/** @param {string} code */
function sayRefusal(code) {
  browser.socket.say({ eventType: "Error", code, message: "", eventId: listActions().at(-1)?.eventId });
}

function tellOnline() {
  browser.window.dispatchEvent(new Event("online"));
}

test("a network that comes back makes no session for a visitor who has not dealt", async () => {
  await createSocket("");
  tellOnline();
  await browser.wait(60_000);
  assert.deepEqual([browser.asked, browser.sockets], [[], []]);
});

test("a network that comes back takes no session from another window", async () => {
  const socket = await createSocket("7");
  socket.start();
  await openConnection();
  browser.socket.close(4001);
  tellOnline();
  await browser.wait(60_000);
  assert.deepEqual([browser.sockets.length, states], [1, ["up", "taken"]]);
  socket.start(); // the player wants the game here
  await openConnection();
  assert.equal(states.at(-1), "up");
});

test("a network that comes back connects a lost connection at once, and once", async () => {
  (await createSocket("7")).start();
  await openConnection();
  browser.window.dispatchEvent(new Event("offline"));
  tellOnline();
  await openConnection();
  await browser.wait(60_000);
  assert.deepEqual([browser.sockets.length, states], [2, ["up", "down", "up"]]);
});

test("an action without an answer is sent again after a reload, under its id", async () => {
  const first = await createSocket("7");
  first.start();
  await openConnection();
  first.act("Bet", { betAmount: "1" });
  const second = await createSocket("7");
  assert.ok(second.isPending);
  second.start();
  await openConnection();
  const [sent, again] = listActions();
  assert.deepEqual(again, sent);
  browser.socket.say({ eventType: "RoundUpdate", eventId: sent.eventId });
  assert.deepEqual([answers.length, answers[0].isRepeat, second.isPending], [1, true, false]);
});

test("an action of another player is forgotten", async () => {
  const first = await createSocket("7");
  first.start();
  await openConnection();
  first.act("Bet", { betAmount: "1" });
  const second = await createSocket("8");
  assert.equal(second.isPending, false);
  second.start();
  await openConnection();
  assert.equal(listActions().length, 1);
  assert.equal((await createSocket("7")).isPending, false);
});

test("an action of another game is not sent to this one", async () => {
  const first = await createSocket("7");
  first.start();
  await openConnection();
  first.act("Bet");
  const other = new GameSocket({ url: "ws://game", game: "h", identity: await createIdentity("7"), preferences: {}, listeners: /** @type {any} */ ({}) });
  assert.equal(other.isPending, false);
});

test("a visitor's first action is the new guest's", async () => {
  const socket = await createSocket("");
  socket.act("Bet", { betAmount: "1" });
  socket.start();
  await openConnection();
  assert.equal(listActions().length, 1);
  assert.equal((await createSocket("guest")).isPending, true);
});

test("without a session the action is given up, and is not sent by who signs up then", async () => {
  browser.answer = () => answerJson({ code: "RATE_LIMITED", page: "/guest/full/" }, 429);
  const socket = await createSocket("");
  socket.act("Bet", { betAmount: "1" });
  socket.start();
  await browser.wait(60_000);
  assert.deepEqual(browser.visited, ["/guest/full/"]);
  assert.deepEqual(refusals.map(({ code, isUnknown }) => [code, isUnknown]), [["RATE_LIMITED", false]]);
  assert.deepEqual([states, socket.isPending, browser.sockets.length], [["over"], false, 0]);
  assert.equal((await createSocket("9")).isPending, false);
});

test("too many sessions at once are waited out", async () => {
  const { answer } = browser;
  browser.answer = () => new Response("Too Many Requests", { status: 429 });
  (await createSocket("7")).start();
  await browser.wait(300);
  browser.answer = answer;
  await browser.wait(600);
  assert.deepEqual([states, browser.sockets.length], [["down"], 1]);
});

test("an action that gets no session after it was sent may have been carried out", async () => {
  const socket = await createSocket("7");
  socket.start();
  await openConnection();
  socket.act("Bet", { betAmount: "1" });
  browser.answer = () => answerJson({ code: "AUTHENTICATION_FAILED" }, 401);
  browser.socket.close(1006);
  await browser.wait(1000);
  browser.socket.close(4000); // the session is over
  await browser.wait(10_000);
  assert.deepEqual(refusals.map(({ code, isUnknown }) => [code, isUnknown]), [["AUTHENTICATION_FAILED", true]]);
});

test("an action that the server cannot carry out for long is told, and whether it was done is not known", async () => {
  for (const [code, isUnknown] of /** @type {const} */ ([["BUSY", false], ["SERVICE_UNAVAILABLE", true]])) {
    openBrowser();
    browser.answer = () => answerJson({ gameSessionId: "t", player: "7" });
    refusals = [];
    const socket = await createSocket("7");
    socket.start();
    await openConnection();
    socket.act("Bet");
    for (let sent = 0; sent < 20 && socket.isPending; sent += 1) {
      sayRefusal(code);
      await browser.wait(1000);
    }
    assert.deepEqual(refusals, [{ code, message: "", action: "Bet", isUnknown }]);
    assert.equal(new Set(listActions().map(({ eventId }) => eventId)).size, 1);
  }
});

test("an action that breaks every connection is given up", async () => {
  const socket = await createSocket("7");
  socket.start();
  await openConnection();
  socket.act("Bet");
  for (let broken = 0; broken < 20 && socket.isPending; broken += 1) {
    browser.socket.close(1011);
    await browser.wait(10_000);
    await openConnection();
  }
  assert.deepEqual(refusals.map(({ code, isUnknown }) => [code, isUnknown]), [["INTERNAL_ERROR", true]]);
});
