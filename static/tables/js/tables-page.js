// @ts-check
/** The page of one table or of several side by side: one socket, and a `LiveTable` for each. */

import { showBalance } from "../../portal/js/balance.js";
import { createElement, findElement, findPart, readPageData } from "../../portal/js/dom.js";
import { applyFelt } from "../../portal/js/felts.js";
import { applyPace } from "../../portal/js/pace.js";
import { PlayerIdentity } from "../../portal/js/player-identity.js";
import { watch } from "../../portal/js/player-watch.js";
import { tell } from "../../portal/js/words.js";
import { CredentialStore } from "./credentials.js";
import { LiveTable } from "./live-table.js";
import { MoneyOffers } from "./money-offers.js";
import { TableRest } from "./rest.js";
import { SessionBoxes } from "./session-boxes.js";
import { TableSocket } from "./table-socket.js";

/**
 * @typedef {import("./live-table.js").Hub} Hub
 * @typedef {import("./wire.js").Message} Message
 */

const page = readPageData("page-data");
const csrfToken = findElement(document, "[name=csrfmiddlewaretoken]", HTMLInputElement).value;
const identity = new PlayerIdentity({ player: page.player, token: page.token, csrfToken, loginUrl: page.loginUrl });
const credentials = new CredentialStore({ url: page.tokenUrl, identity });
/** @type {Map<string, LiveTable>} */
const tables = new Map();
/** The tables that show cards now. @type {Set<LiveTable>} */
const showing = new Set();
const sessions = new SessionBoxes(page);
/** A window that has no room in a table's head for what is seldom needed. Tables beside others have none either. */
const small = window.matchMedia("(max-width: 999px), (max-height: 500px)");

const socket = new TableSocket({
  url: page.socketUrl,
  credentials,
  listeners: {
    onConnection: (state) => {
      for (const table of tables.values()) {
        table.showConnection(state);
        if (state === "up") table.open();
      }
    },
    onTable: (message) => {
      tables.get(message.tableId)?.receive(message);
      if (message.type === "round_result") offers.read();
    },
    onSession: takeSessionMessage,
  },
});

const offers = new MoneyOffers({
  isOne: page.tables.length === 1,
  onBalance: (balance) => {
    if (hub.balance && hub.balance !== balance) socket.tell({ type: "balance_query" });
  },
});

/** @type {Hub} */
const hub = {
  page,
  offers,
  socket,
  rest: new TableRest(credentials),
  credentials,
  playerId: "",
  balance: "",
  createLoginLink: () => identity.createLoginLink(),
  isForKeys: (table) => findKeyTable() === table,
  holdBalance: (table) => {
    showing.add(table);
    watch?.hold();
  },
  releaseBalance: (table) => {
    if (!showing.delete(table) || showing.size) return;
    watch?.releaseUnread();
    showFunds();
  },
};

/** @param {Message} message */
function takeSessionMessage(message) {
  switch (message.type) {
    case "authenticated":
      hub.playerId = message.playerId;
      takeBalance(message.balance.available);
      break;
    case "balance_response":
      takeBalance(message.available);
      break;
    case "session_expiring":
      socket.tell({ type: message.reason === "lifetime" ? "session_extend" : "heartbeat", direction: "ping" });
      break;
    default: // a refusal that answers no waiting message
  }
}

/** @param {string} available */
function takeBalance(available) {
  hub.balance = available;
  watch?.discardReading();
  if (!showing.size) showFunds();
}

function showFunds() {
  showBalance(hub.balance);
  for (const table of tables.values()) table.showFunds();
  sessions.read();
}

/**
 * The table that keys act on: the one with the focus, else the first one that waits for this player, else the only one.
 */
function findKeyTable() {
  const all = [...tables.values()];
  return all.find(({ root }) => root.contains(document.activeElement)) ?? all.find(({ isAsked }) => isAsked) ?? (all.length === 1 ? all[0] : null);
}

/** @param {string} id */
function openTable(id) {
  const article = findElement(document, `#table-${id}`, HTMLElement);
  const link = findElement(article, "[data-part=lobby-link]", HTMLAnchorElement);
  link.href = `${page.lobbyUrl}?beside=${page.tables.join(",")}`;
  link.textContent = tell("live-add-table");
  const others = page.tables.filter((/** @type {string} */ each) => each !== id);
  findElement(article, "[data-part=open-tables]", HTMLAnchorElement).href =
    page.lobbyUrl + (others.length ? `?beside=${others.join(",")}` : "");
  if (page.tables.length > 1) findElement(article, "[data-part=history-panel]", HTMLDetailsElement).open = false;
  nameField(article, id);
  placeSeldom(article);
  sessions.add(article);
  tables.set(id, new LiveTable(article, id, hub));
}

/**
 * Place what is seldom needed in the table's head, or in its settings.
 * @param {HTMLElement} article
 */
function placeSeldom(article) {
  const [tools, menu, seldom] = ["tools", "menu", "seldom"].map((name) => findPart(article, name));
  const place = () => (small.matches || page.tables.length > 1 ? menu : tools).prepend(seldom);
  small.addEventListener("change", place);
  place();
}

/**
 * @param {HTMLElement} article
 * @param {string} id
 */
function nameField(article, id) {
  const field = findPart(article, "amount-field");
  const input = findElement(field, "input", HTMLInputElement);
  const help = findElement(field, ".help", HTMLElement);
  input.id = `amount-${id}`;
  help.id = `amount-help-${id}`;
  input.setAttribute("aria-describedby", help.id);
  findElement(field, "label", HTMLLabelElement).htmlFor = input.id;
}

// Space is a key of the bets, so it must not scroll the page.
document.addEventListener("keydown", (event) => {
  if (event.key === " " && event.target === document.body) event.preventDefault();
});
page.tables.forEach(openTable);
if (!page.tables.length) document.body.append(createElement("p", "", tell("live-no-table")));
applyFelt();
applyPace();
socket.start();
