// @ts-check
/** A table's name, limits and rules, and the invitation to a private one. */

import { createElement, findButton, findElement, findPart } from "../../portal/js/dom.js";
import { groupThousands } from "../../portal/js/money.js";

/**
 * @typedef {import("./table-model.js").Json} Json
 */

/**
 * @param {HTMLElement} root
 * @param {{ room: Json, game: Json, currency: import("../../portal/js/currency.js").Currency }} options
 */
export function showRoom(root, { room, game, currency }) {
  findPart(root, "name").textContent = room.name;
  root.setAttribute("aria-label", room.name);
  findElement(root, ".live-side", HTMLElement).setAttribute("aria-label", `About ${room.name}`);
  const limits = `${groupThousands(room.minBuyin)} to ${groupThousands(room.maxBuyin)} ${currency.code}`;
  findPart(root, "facts").textContent = [game.title, limits, describeDecks(room)].filter(Boolean).join(" · ");
  findPart(root, "unit").textContent = currency.code;
  const list = createElement("dl", "facts");
  for (const [name, value] of listRules(room, limits)) list.append(createElement("dt", "", name), createElement("dd", "", value));
  findPart(root, "rules").replaceChildren(list);
  if (room.private) showInvitation(findButton(root, "invite"));
}

/** @param {Json} room */
function describeDecks({ rules }) {
  if (!rules || !("decks" in rules)) return "";
  return rules.decks === null ? "endless shoe" : `${rules.decks} deck${rules.decks === "1" ? "" : "s"}`;
}

/**
 * @param {Json} room
 * @param {string} limits
 * @returns {[name: string, value: string][]}
 */
function listRules(room, limits) {
  const rules = Object.entries(room.rules ?? {}).map(([name, value]) => /** @type {[string, string]} */ ([titleRule(name), writeRule(value)]));
  const times = [
    ["Time to bet", room.windowSeconds], ["Time to act", room.turnSeconds], ["Pause", room.pauseSeconds],
  ].flatMap(([name, seconds]) => (seconds === undefined ? [] : [/** @type {[string, string]} */ ([name, `${seconds} s`])]));
  return [["Stakes", limits], ...rules, ...times];
}

/**
 * Return the name of a rule as words: "dealerHitsSoft17" is "Dealer hits soft 17".
 * @param {string} name
 */
export function titleRule(name) {
  const words = name.replace(/([A-Z]|\d+)/g, " $1").toLowerCase().trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** @param {unknown} value */
function writeRule(value) {
  if (value === null) return "endless";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return String(value).replaceAll("_", " ");
}

/** @param {HTMLButtonElement} button */
function showInvitation(button) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(location.href);
    button.textContent = "Link copied";
  });
}
