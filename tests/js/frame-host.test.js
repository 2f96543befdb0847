// @ts-check
/** Messages between a frame and the page around it: exact target, checked origin and source. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { FrameHost } from "../../static/portal/js/frame-host.js";

const CASINO = "https://casino.example";
const OTHER = "https://play.casino.example";
const ORDER = { target: "punto", type: "pause" };

/** Return a host with its windows, what it has sent, and the orders it has accepted. */
function createHost({ origins = [CASINO], ancestors = /** @type {string[] | undefined} */ (undefined), isTop = false } = {}) {
  /** @type {[any, string][]} */
  const sent = [];
  const parent = { postMessage: (/** @type {any} */ message, /** @type {string} */ target) => sent.push([message, target]) };
  const page = /** @type {any} */ (new EventTarget());
  page.parent = isTop ? page : parent;
  page.location = { ancestorOrigins: ancestors };
  const host = new FrameHost(origins, page);
  /** @type {string[]} */
  const orders = [];
  host.addEventListener("order", (event) => orders.push(/** @type {CustomEvent} */ (event).detail.type));
  const receive = (/** @type {object} */ members) =>
    page.dispatchEvent(Object.assign(new Event("message"), { source: parent, origin: CASINO, data: ORDER }, members));
  return { host, sent, orders, receive };
}

test("a message goes to the exact origin of the only page that may be around the frame", () => {
  const { host, sent } = createHost();
  host.tell("balance", { balance: "12.5" });
  assert.deepEqual(sent, [[{ source: "punto", version: 1, type: "balance", balance: "12.5" }, CASINO]]);
});

test("of several origins the browser says which is around the frame", () => {
  const { host, sent } = createHost({ origins: [CASINO, OTHER], ancestors: [OTHER] });
  host.tell("ready");
  assert.equal(sent[0][1], OTHER);
});

test("without the browser's word messages wait for the host's first one", () => {
  const { host, sent, receive } = createHost({ origins: [CASINO, OTHER] });
  host.tell("ready");
  assert.equal(sent.length, 0);
  receive({ origin: "https://evil.example" });
  assert.equal(sent.length, 0);
  receive({ origin: OTHER });
  assert.deepEqual(sent.map(([{ type }, target]) => [type, target]), [["ready", OTHER]]);
});

test("an origin that the browser names and nobody registered gets nothing", () => {
  const { host, sent } = createHost({ origins: [CASINO, OTHER], ancestors: ["https://evil.example"] });
  host.tell("ready");
  assert.equal(sent.length, 0);
});

test("an order of the parent is accepted, and of nobody else", () => {
  const { orders, receive } = createHost({ origins: [CASINO, OTHER], ancestors: [CASINO] });
  receive({ source: {} });
  receive({ source: null });
  receive({ origin: "https://evil.example" });
  receive({ origin: "null" });
  receive({ origin: OTHER }); // registered, and not the page around this frame
  assert.deepEqual(orders, []);
  receive({});
  assert.deepEqual(orders, ["pause"]);
});

test("what is no order of ours is ignored", () => {
  const { orders, receive } = createHost();
  for (const data of [null, "pause", 5, [], {}, { target: "other", type: "pause" }, { target: "punto", type: 5 }]) receive({ data });
  assert.deepEqual(orders, []);
});

test("a page that another one replaces sends and accepts nothing more", () => {
  const { host, sent, orders, receive } = createHost();
  host.leave();
  host.tell("session_ended");
  receive({});
  assert.deepEqual([sent, orders], [[], []]);
});

test("a page that is in no frame sends and accepts nothing", () => {
  const { host, sent, orders, receive } = createHost({ isTop: true });
  host.tell("ready");
  receive({});
  assert.deepEqual([sent, orders], [[], []]);
});
