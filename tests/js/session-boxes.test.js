// @ts-check
/** The figures of a session beside live tables. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { answerJson, browser, FakeElement, openBrowser } from "./browser.js";

Object.assign(globalThis, { HTMLElement: FakeElement, setInterval: () => 0 });
const { SessionBoxes } = await import("../../static/tables/js/session-boxes.js");

test("figures are read again after an answer that broke off, as when a server dies", async () => {
  openBrowser();
  const [table, session] = [new FakeElement(), new FakeElement()];
  table.parts['[data-part="session"]'] = session;
  for (const part of ["clock", "staked", "returned", "net"]) session.parts[`[data-part="session-${part}"]`] = new FakeElement();
  const boxes = new SessionBoxes({ panelUrl: "/panel", currency: "FUN", decimals: 2 });
  boxes.add(/** @type {any} */ (table));
  browser.answer = () => new Response(new ReadableStream({ start: (stream) => stream.error(new TypeError("Failed to fetch")) }));
  await boxes.read();
  browser.answer = () => answerJson({ session: { wallet: "1", after: 7, rounds: 1, staked: "5", returned: "0", net: "-5" } });
  await boxes.read();
  assert.equal(session.parts['[data-part="session-staked"]'].textContent, "5.00");
});
