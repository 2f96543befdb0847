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

/** Accept the connection, and return the page's log-in message. */
async function openConnection() {
  await browser.wait();
  browser.socket.open();
  browser.socket.say({ type: "hello" });
  browser.socket.say({ type: "authenticated" });
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
