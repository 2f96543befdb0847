// @ts-check
/**
 * The lobby: the search, and the favourites. The browser stores a guest's favourites, and the server those of an
 * account. The favourites of a guest who signs up go to the server with the first visit after the sign-up. At no other
 * log-in are they sent, since other people may use the same browser.
 */

import { findElement } from "./dom.js";
import { readStored, writeStored } from "./stored.js";

const STORED = "punto-favourites";
const OFF = "is-other";

const tiles = findElement(document, "#tiles", HTMLElement);
const search = findElement(document, "#lobby-search", HTMLInputElement);
const none = findElement(document, "#lobby-none", HTMLElement);
const url = tiles.dataset.favouriteUrl ?? "";

/** @returns {HTMLElement[]} */
function listTiles() {
  return [...tiles.querySelectorAll("[data-tile]")].filter((tile) => tile instanceof HTMLElement);
}

/** @returns {string[]} */
function readFavourites() {
  try {
    const kept = JSON.parse(readStored(STORED) ?? "[]");
    return Array.isArray(kept) ? kept.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}

/** @param {HTMLElement} tile */
function findStar(tile) {
  return findElement(tile, "[data-favourite]", HTMLButtonElement);
}

/**
 * @param {HTMLElement} tile
 * @param {boolean} isOn
 */
function showFavourite(tile, isOn) {
  findStar(tile).setAttribute("aria-pressed", String(isOn));
}

/**
 * @param {string} tile
 * @param {boolean} isOn
 */
async function sendFavourite(tile, isOn) {
  const token = findElement(tiles, "[name=csrfmiddlewaretoken]", HTMLInputElement).value;
  const body = new URLSearchParams({ tile, on: isOn ? "1" : "0" });
  const answer = await fetch(url, { method: "POST", body, headers: { "X-CSRFToken": token } });
  return answer.ok;
}

/** @param {HTMLElement} tile */
async function changeFavourite(tile) {
  const name = tile.dataset.tile ?? "";
  const isOn = findStar(tile).getAttribute("aria-pressed") !== "true";
  showFavourite(tile, isOn);
  if (!url) {
    const others = readFavourites().filter((kept) => kept !== name);
    writeStored(STORED, JSON.stringify(isOn ? [...others, name] : others));
  } else if (!(await sendFavourite(name, isOn).catch(() => false))) showFavourite(tile, !isOn);
}

/**
 * Put the favourites of the browser first, as the server does with those of an account.
 * @param {string[]} kept
 */
function raiseFavourites(kept) {
  const found = kept.flatMap((name) => listTiles().filter((tile) => tile.dataset.tile === name));
  for (const tile of found) showFavourite(tile, true);
  tiles.prepend(...found);
}

async function giveFavourites() {
  const kept = readFavourites();
  if (!kept.length) return;
  raiseFavourites(kept);
  const taken = await Promise.all(kept.map((name) => sendFavourite(name, true).catch(() => false)));
  if (taken.every(Boolean)) writeStored(STORED, "[]");
}

function findTiles() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const tile of listTiles()) {
    const text = (tile.textContent ?? "").toLowerCase();
    const isFound = words.every((word) => text.includes(word));
    tile.classList.toggle(OFF, !isFound);
    if (isFound) count += 1;
  }
  none.hidden = count > 0;
}

for (const tile of listTiles()) {
  const star = findStar(tile);
  star.hidden = false;
  star.addEventListener("click", () => changeFavourite(tile));
}
search.disabled = false;
search.addEventListener("input", findTiles);
if (tiles.dataset.takesFavourites !== undefined) giveFavourites();
else if (!url) raiseFavourites(readFavourites());
