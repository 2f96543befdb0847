// @ts-check
/** The first script of a page in a partner's frame: the session's token, the messages, and a pause of the table. */

import { createElement } from "./dom.js";
import { FrameHost } from "./frame-host.js";
import { prepareMemory } from "./frame-memory.js";
import { frameData } from "./frame-session.js";
import { postLaunchCode, sendLaunchCode } from "./frame-start.js";
import { listenSignal } from "./signals.js";
import { tell } from "./words.js";

const host = new FrameHost(frameData.origins, window);

let isShort = false;
let isOver = false;

/** @param {boolean} isPaused */
function pauseTable(isPaused) {
  const main = document.querySelector("main");
  if (!main) return;
  main.inert = isPaused;
  document.querySelector(".frame-pause")?.remove();
  if (!isPaused) return;
  const note = createElement("p", "frame-pause", tell(isOver ? "frame-closed" : "frame-paused"));
  note.setAttribute("role", "status");
  document.body.append(note);
}

/**
 * Say that the session is over, once, and take no more bets.
 * @param {string} reason
 */
function tellOver(reason) {
  if (isOver) return;
  isOver = true;
  pauseTable(true);
  host.tell("session_ended", { reason });
}

/** @param {unknown} wanted */
async function setLanguage(wanted) {
  if (typeof wanted !== "string" || !frameData.languages?.includes(wanted)) {
    host.tell("error", { code: "UNKNOWN_LANGUAGE", message: `The languages are ${frameData.languages?.join(", ")}.` });
    return;
  }
  const response = await fetch("/frame/language", { method: "POST", body: new URLSearchParams({ language: wanted }) });
  if (response.status === 401) tellOver("expired");
  if (response.ok) postLaunchCode((await response.json()).launchCode);
}

async function leaveTable() {
  await fetch("/frame/close", { method: "POST" }).catch(() => null);
  tellOver("closed");
}

/** Tell the host page how high the table is, now and after each change. */
function tellSize() {
  const size = new ResizeObserver(() => host.tell("resize", { height: Math.ceil(document.body.getBoundingClientRect().height) }));
  size.observe(document.body);
}

/** @param {any} order */
function handleOrder({ type, ...members }) {
  switch (type) {
    case "pause":
      if (!isOver) pauseTable(true);
      break;
    case "resume":
      if (!isOver) pauseTable(false);
      break;
    case "set_language":
      setLanguage(members.language);
      break;
    case "close":
      leaveTable();
      break;
    default:
      host.tell("error", { code: "UNKNOWN_MESSAGE", message: `There is no message ${String(type).slice(0, 100)}.` });
  }
}

/** Follow what the table's own scripts say. */
function followTable() {
  const { currency } = JSON.parse(document.getElementById("table-data")?.textContent ?? "{}");
  let shown = "";
  listenSignal("balance", ({ balance }) => {
    if (balance !== shown) host.tell("balance", { balance, currency });
    shown = balance;
  });
  listenSignal("round-started", (round) => host.tell("round_started", { currency, ...round }));
  listenSignal("round-ended", (round) => host.tell("round_ended", { currency, ...round }));
  listenSignal("refused", (refusal) => host.tell("error", { code: "REFUSED", ...refusal }));
  listenSignal("session-over", () => tellOver("expired"));
  listenSignal("money-asked", () => host.tell("needs_money", { currency, asked: true }));
  listenSignal("state", ({ cashier, balance }) => tellShortage(cashier, balance, currency));
}

/**
 * Tell once that the balance is too low for a bet. The first state may come before the page has loaded.
 * @param {unknown} cashier  the offer of the cashier, if there is one
 * @param {string} balance
 * @param {string} currency
 */
function tellShortage(cashier, balance, currency) {
  if (cashier && !isShort) host.tell("needs_money", { balance, currency, asked: false });
  isShort = Boolean(cashier);
}

prepareMemory();
// A paused table gets no keys: some of them act wherever the focus is.
window.addEventListener("keydown", (event) => {
  if (document.querySelector("main")?.inert) event.stopImmediatePropagation();
}, { capture: true });
// The host page may give the same address with another code: for a browser that is no new page.
window.addEventListener("hashchange", sendLaunchCode);
if (frameData.isOver) host.tell("session_ended", { reason: "launch_needed" });
else if (frameData.refusal) host.tell("error", { ...frameData.refusal });
else if (!frameData.token) sendLaunchCode();
if (frameData.token) {
  followTable();
  host.addEventListener("order", (event) => event instanceof CustomEvent && handleOrder(event.detail));
  window.addEventListener("load", () => {
    const table = JSON.parse(document.getElementById("table-data")?.textContent ?? "{}");
    host.tell("ready", { language: frameData.language, balance: table.balance, currency: table.currency });
    tellSize();
    if (!isShort) tellShortage(table.cashier, table.balance, table.currency);
  });
}
