// @ts-check
/**
 * The first script of a page in a partner's frame: the session's token, the messages, and the orders of the host page.
 */

import { pauseTable, preparePause, endPause } from "./frame-pause.js";
import { FrameHost } from "./frame-host.js";
import { prepareMemory, readMemory } from "./frame-memory.js";
import { frameData } from "./frame-session.js";
import { postLaunchCode, sendLaunchCode, takeLaunchCode } from "./frame-start.js";
import { describeRefusal, readRefusal } from "./refusals.js";
import { listenSignal } from "./signals.js";

const host = new FrameHost(frameData.origins, window);

let isShort = false;
let isOver = false;
/** The language that is being set; empty for none. */
let language = "";

/**
 * Say that the session is over, once, and take no more bets.
 * @param {string} reason
 */
function tellOver(reason) {
  if (isOver) return;
  isOver = true;
  pauseTable("over");
  host.tell("session_ended", { reason });
}

/** @param {string} code */
function tellRefusal(code) {
  host.tell("error", { code, message: describeRefusal(code) });
}

/**
 * Send the host page's wish to the server, and return the answer. If the server refuses, tell the host page and return
 * null.
 * @param {string} url
 * @param {Record<string, string>} [members]
 */
async function postOrder(url, members = {}) {
  try {
    const response = await fetch(url, { method: "POST", body: new URLSearchParams(members) });
    if (response.ok) return await response.json();
    if (response.status === 401) tellOver("expired");
    else tellRefusal((await readRefusal(response)).code);
  } catch {
    tellRefusal("SERVICE_UNAVAILABLE");
  }
  return null;
}

/** @param {unknown} wanted */
async function setLanguage(wanted) {
  if (typeof wanted !== "string" || !frameData.languages?.includes(wanted)) {
    host.tell("error", { code: "UNKNOWN_LANGUAGE", message: `The languages are ${frameData.languages?.join(", ")}.` });
    return;
  }
  const isSetting = language !== "";
  language = wanted;
  if (!isSetting) await loadLanguage();
}

/**
 * Load the table in the language that the host page has requested last. A bet in between would be lost with this page.
 */
async function loadLanguage() {
  pauseTable("language");
  let sent = "";
  let answer = null;
  do {
    sent = language;
    answer = await postOrder("/frame/language", { language: sent, memory: readMemory() });
  } while (answer && sent !== language);
  if (answer) {
    host.leave(); // the server refuses this page's token before the next page is loaded, and the session is not over
    postLaunchCode(answer.launchCode);
  } else {
    language = "";
    endPause("language");
  }
}

async function leaveTable() {
  if (await postOrder("/frame/close")) tellOver("closed");
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
      pauseTable("pause");
      break;
    case "resume":
      endPause("pause");
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

/** Pass the signals of the table's scripts on to the host page. */
function followTable() {
  const { currency } = JSON.parse(document.getElementById("table-data")?.textContent ?? "{}");
  let shown = "";
  listenSignal("balance", ({ balance }) => {
    if (balance !== shown) host.tell("balance", { balance, currency });
    shown = balance;
  });
  listenSignal("round-started", (round) => host.tell("round_started", round));
  listenSignal("round-ended", (round) => host.tell("round_ended", round));
  listenSignal("refused", (refusal) => host.tell("error", refusal));
  listenSignal("session-over", () => tellOver("expired"));
  listenSignal("money-asked", () => host.tell("needs_money", { currency, asked: true }));
  listenSignal("state", ({ cashier, balance }) => tellShortage(cashier, balance, currency));
}

/**
 * Tell the host page once that the balance is too low for a bet. The first state may come before the page has loaded.
 * @param {unknown} cashier  the offer of the cashier, if there is one
 * @param {string} balance
 * @param {string} currency
 */
function tellShortage(cashier, balance, currency) {
  if (cashier && !isShort) host.tell("needs_money", { balance, currency, asked: false });
  isShort = Boolean(cashier);
}

prepareMemory();
preparePause();
// The host page may set the same address with another code, for which a browser loads no new page.
window.addEventListener("hashchange", takeLaunchCode);
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
