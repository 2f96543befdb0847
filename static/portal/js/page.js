// @ts-check
/** Functions of every page: menus that close, copy buttons, times in the reader's zone, the current balance. */

import "./cards.js";
import { showBalance } from "./balance.js";
import { followBar } from "./bar.js";
import { isFramed } from "./frame-session.js";
import { formatDay, formatTime, rememberTimeZone } from "./locale.js";
import { watch } from "./player-watch.js";
import { sendSignal } from "./signals.js";
import { tell } from "./words.js";

/** @returns {NodeListOf<HTMLDetailsElement>} */
function findOpenMenus() {
  return document.querySelectorAll("details.menu[open]");
}

/** @param {HTMLButtonElement} button */
async function copyText(button) {
  const source = document.getElementById(button.dataset.copy ?? "");
  await navigator.clipboard.writeText(source?.textContent?.trim() ?? "");
  button.textContent = tell("copied");
}

document.addEventListener("click", ({ target }) => {
  for (const menu of findOpenMenus()) {
    if (target instanceof Node && !menu.contains(target)) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of findOpenMenus()) {
    event.preventDefault(); // a table uses this key too
    menu.open = false;
    menu.querySelector("summary")?.focus();
  }
});

/** Where offers of money are shown. They are found now, since a table that is being built may have moved them later. */
const places = { refill: document.getElementById("refill"), cashier: document.getElementById("cashier") };
/** @type {Promise<import("./offers.js").Offers> | null} */
let offers = null;

/**
 * Show the server's offers to a player whose balance is too low for a bet. Their script is loaded with the first one,
 * since most players never need it.
 * @param {import("./player-watch.js").PlayerWatch} following
 * @param {import("./offers.js").OfferState} [state]  without it the page itself has the first offer
 */
async function showOffers(following, state) {
  if (state && !state.refill && !state.cashier && !offers) return;
  offers ??= import("./offers.js").then(({ Offers }) => new Offers(following, places));
  try {
    const shown = await offers;
    if (state) shown.show(state);
  } catch {
    offers = null; // the script could not be loaded: the next state tries again
  }
}

// The first field that was refused may be below the window, where nobody sees why the form is shown again.
const refused = document.querySelector("form [aria-invalid=true]");
if (refused instanceof HTMLElement) refused.focus();

rememberTimeZone();
followBar();

for (const time of document.querySelectorAll("time[data-local]")) {
  if (!(time instanceof HTMLTimeElement)) continue;
  time.title = `${new Date(time.dateTime).toISOString().slice(0, 19).replace("T", " ")} UTC`;
  time.textContent = formatTime(time.dateTime);
}

for (const day of document.querySelectorAll("time[data-local-day]")) {
  if (day instanceof HTMLTimeElement) day.textContent = formatDay(day.dateTime);
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  if (button instanceof HTMLButtonElement) button.addEventListener("click", () => copyText(button));
}

// The service worker is for times without a network. A browser that refuses it works as before.
if (!isFramed) navigator.serviceWorker?.register("/service-worker.js").catch(() => null);

if (watch) {
  if (Object.values(places).some((place) => place && place.dataset.offer !== "null")) showOffers(watch);
  watch.addEventListener("state", (event) => {
    if (!watch || !(event instanceof CustomEvent)) return;
    showBalance(event.detail.balance);
    showOffers(watch, event.detail);
    sendSignal("state", event.detail);
  });
  watch.start();
}
