// @ts-check
/** A table's name, limits and rules, and the invitation to a private one. */

import { createElement, findButton, findElement, findPart } from "../../portal/js/dom.js";
import { groupThousands } from "../../portal/js/money.js";
import { hasWords, tell } from "../../portal/js/words.js";

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
  findElement(root, ".live-side", HTMLElement).setAttribute("aria-label", tell("live-about", { name: room.name }));
  const limits = `${tell("range", { least: groupThousands(room.minBuyin), most: groupThousands(room.maxBuyin) })} ${currency.code}`;
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
  return rules.decks === null ? tell("live-endless-shoe") : tell("live-decks", { count: rules.decks });
}

/**
 * @param {Json} room
 * @param {string} limits
 * @returns {[name: string, value: string][]}
 */
function listRules(room, limits) {
  const rules = Object.entries(room.rules ?? {}).map(([name, value]) => /** @type {[string, string]} */ ([titleRule(name), nameRule(value)]));
  const times = [
    ["live-time-to-bet", room.windowSeconds], ["live-time-for-action", room.turnSeconds], ["live-pause", room.pauseSeconds],
  ].flatMap(([name, seconds]) => (seconds === undefined ? [] : [/** @type {[string, string]} */ ([tell(name), tell("live-seconds", { seconds: String(seconds) })])]));
  return [[tell("live-stakes"), limits], ...rules, ...times];
}

/**
 * Return the label of a rule.
 * @param {string} name  on the wire
 */
export function titleRule(name) {
  return tell(`rule-${name}`);
}

/**
 * Return the label of a rule's value. Numbers and odds are their own labels.
 * @param {unknown} value
 */
export function nameRule(value) {
  if (value === null) return tell("value-endless");
  if (typeof value === "boolean") return tell(value ? "value-yes" : "value-no");
  return hasWords(`choice-${value}`) ? tell(`choice-${value}`) : String(value);
}

/** @param {HTMLButtonElement} button */
function showInvitation(button) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(location.href);
    button.textContent = tell("live-link-copied");
  });
}
