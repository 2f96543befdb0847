/** The connection to the live tables: the session that it uses, and when it reconnects. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { answerJson, browser, createIdentity, openBrowser } from "./browser.js";

const { CredentialStore } = await import("../../static/tables/js/credentials.js");
const { TableSocket } = await import("../../static/tables/js/table-socket.js");

/** @type {string[]} */
let states;

beforeEach(() => {
  openBrowser();
  Object.assign(globalThis.document, { addEventListener: () => {}, visibilityState: "visible" });
  browser.answer = () => answerJson({ token: `t${browser.asked.length}`, sessionId: `s${browser.asked.length}` });
  states = [];
});

/** @param {string} player */
async function createSocket(player) {
  const credentials = new CredentialStore({ url: "/token", identity: await createIdentity(player) });
  return new TableSocket({
    url: "ws://tables", credentials,
    listeners: { onConnection: (state) => states.push(state), onTable: () => {}, onSession: () => {} },
  });
}

const PONG = { type: "heartbeat", direction: "pong" };

/**
 * Accept the connection, and return the page's log-in message.
 * @param {Record<string, any>[]} answers  what the server sends after the log-in
 */
async function openConnection(answers = [PONG]) {
  await browser.wait();
  browser.socket.open();
  for (const message of [{ type: "hello" }, { type: "authenticated" }, ...answers]) browser.socket.say(message);
  await browser.wait();
  const { type, token } = browser.socket.sent[0];
  return [type, token];
}

test("a page that is loaded again goes on in its session, another player's page in one of its own", async () => {
  (await createSocket("7")).start();
  assert.deepEqual(await openConnection(), ["authenticate", "t1"]);
  (await createSocket("7")).start();
  assert.deepEqual(await openConnection(), ["reconnect", "t1"]);
  (await createSocket("8")).start();
  assert.deepEqual(await openConnection(), ["authenticate", "t2"]);
});

test("a network that comes back takes no session from another window", async () => {
  (await createSocket("7")).start();
  await openConnection();
  browser.socket.close(4001);
  browser.window.dispatchEvent(new Event("online"));
  await browser.wait(60_000);
  assert.deepEqual([browser.sockets.length, states], [1, ["up", "taken"]]);
});

test("a network that comes back connects a lost connection at once, and once", async () => {
  (await createSocket("7")).start();
  await openConnection();
  browser.window.dispatchEvent(new Event("offline"));
  browser.window.dispatchEvent(new Event("online"));
  await openConnection();
  await browser.wait(20_000);
  assert.deepEqual([browser.sockets.length, states], [2, ["up", "down", "up"]]);
});

const WINDOW = { type: "betting_window_open", tableId: "t", messageId: "w1" };
const BET = { type: "submit_action", tableId: "t", payload: { action: "place_bet", amount: "5" } };
const LATE = "BETTING_WINDOW_CLOSED";

/** @param {Record<string, any>[]} state  what the server sends of the table after the log-in */
async function openAgain(...state) {
  await browser.wait(10_000);
  await openConnection([{ type: "reconnect_state", tableId: "t", messageId: `s${browser.sockets.length}` }, ...state, PONG]);
}

/** The actions that the connection has sent. */
function listActions() {
  return browser.socket.sent.filter(({ type }) => type === "submit_action").map(({ payload, messageId }) => [payload.action, messageId]);
}

/** A socket that was cut off in the window `w1`. */
async function createCutOff() {
  const socket = await createSocket("7");
  socket.start();
  await openConnection();
  browser.socket.say(WINDOW);
  return socket;
}

test("a bet that was placed without a connection is sent in its own window", async () => {
  const socket = await createCutOff();
  browser.socket.close();
  const answer = socket.ask(BET, { id: "w1", lateCode: LATE });
  await openAgain({ ...WINDOW, messageId: "w1-again", repeats: "w1" });
  const [[action, relatedMessageId]] = listActions();
  browser.socket.say({ type: "ack", relatedMessageId, messageId: "a" });
  assert.deepEqual([action, (await answer).type], ["place_bet", "ack"]);
});

test("a bet that was placed without a connection is not sent in a later window, and is refused as late", async () => {
  const socket = await createCutOff();
  browser.socket.close();
  const answer = socket.ask(BET, { id: "w1", lateCode: LATE });
  await openAgain({ ...WINDOW, messageId: "w2" });
  assert.deepEqual(listActions(), []);
  assert.deepEqual([(await answer).type, (await answer).code], ["error", LATE]);
});

test("an action whose answer was lost is not sent again once another request is open", async () => {
  const socket = await createCutOff();
  browser.socket.say({ type: "game_action_request", tableId: "t", messageId: "r1" });
  const hit = { ...BET, payload: { action: "hit" } };
  const answer = socket.ask(hit, { id: "r1", lateCode: "TIMEOUT" });
  const [[, first]] = listActions();
  browser.socket.close();
  await openAgain({ type: "game_action_request", tableId: "t", messageId: "r1-again", repeats: "r1" });
  assert.deepEqual(listActions(), [["hit", first]]);
  browser.socket.close();
  await openAgain({ type: "game_action_request", tableId: "t", messageId: "r2" });
  assert.deepEqual([listActions(), (await answer).type], [[], "ack"]);
});

test("a bet that is placed before the states have come again waits for them", async () => {
  const socket = await createCutOff();
  browser.socket.close();
  await browser.wait(10_000);
  await openConnection([]);
  const answer = socket.ask(BET, { id: "w1", lateCode: LATE });
  for (const message of [{ type: "reconnect_state", tableId: "t", messageId: "s" }, { ...WINDOW, messageId: "w2" }, PONG]) browser.socket.say(message);
  assert.deepEqual([listActions(), (await answer).code], [[], LATE]);
});

test("a connection whose states do not come is opened again", async () => {
  (await createSocket("7")).start();
  await openConnection([]);
  await browser.wait(30_000);
  assert.ok(browser.sockets.length > 1);
});
