// @ts-check
/** The last rounds: each opens in place with its replay and its check. */

import { createElement, findPart } from "../dom.js";
import { formatTime } from "../locale.js";
import { describeRefusal } from "../refusals.js";
import { listTexts, tell } from "../words.js";

/**
 * @typedef {object} RoundRow
 * @property {string} id
 * @property {string} url
 * @property {string} startedAt
 * @property {boolean} isOpen
 * @property {boolean} isVoid
 * @property {boolean} isRevealed
 * @property {string} [page]  of the round, empty for none; `url` by default
 * @property {string} stake
 * @property {string} payout
 * @property {string} net  empty if the player staked nothing
 * @property {import("../card-row.js").LabelledHand[]} hands
 *
 * @typedef {object} RoundListOptions
 * @property {import("../currency.js").Currency} currency
 * @property {string} redealUrl  of the game's module that deals a round again
 * @property {(round: RoundRow) => Promise<HTMLElement[]>} [check]  deals a round of a live table again
 * @property {() => Promise<boolean>} changeSeed  reveals the server seed of the rounds; resolves with whether it did
 */

/** @type {Record<string, string>} */
const SUITS = { H: "♥", D: "♦", C: "♣", S: "♠" };
const RED_SUITS = new Set(["H", "D"]);

/**
 * Return a function that shows the rounds, the newest first. Open rounds stay open.
 * @param {HTMLElement} body
 * @param {RoundListOptions} options
 */
export function connectRounds(body, options) {
  const list = findPart(body, "last-rounds");
  const none = findPart(body, "no-rounds");
  /** @type {Map<string, { signs: string, item: HTMLLIElement }>} */
  let shown = new Map();

  /** @param {RoundRow[]} rounds */
  return (rounds) => {
    const next = new Map(rounds.map((round) => {
      const before = shown.get(round.id);
      const signs = JSON.stringify({ ...round, isRevealed: false }); // a check in progress stays
      return [round.id, before?.signs === signs ? before : { signs, item: createItem(round, options) }];
    }));
    none.hidden = rounds.length > 0;
    const items = [...next.values()].map(({ item }) => item);
    for (const { item } of shown.values()) if (!items.includes(item)) item.remove();
    items.forEach((item, index) => {
      if (list.children[index] !== item) list.insertBefore(item, list.children[index] ?? null);
    });
    shown = next;
  };
}

/**
 * @param {RoundRow} round
 * @param {RoundListOptions} options
 */
function createItem(round, options) {
  const item = createElement("li");
  const id = `round-${round.id}`;
  const button = createElement("button", "round-row");
  button.type = "button";
  button.setAttribute("aria-expanded", "false");
  button.setAttribute("aria-controls", id);
  const cards = createElement("span", "round-cards");
  cards.setAttribute("aria-hidden", "true");
  cards.append(...round.hands.map(createHand));
  button.append(createElement("span", "round-time", formatTime(round.startedAt, { timeStyle: "medium" })), cards, createNet(round, options.currency));
  button.append(createElement("span", "visually-hidden", listTexts(round.hands.map(({ label, total }) => `${label} ${total}`))));
  const details = createElement("div", "round-details");
  details.id = id;
  details.hidden = true;
  let isFilled = false;
  button.addEventListener("click", async () => {
    details.hidden = !details.hidden;
    button.setAttribute("aria-expanded", String(!details.hidden));
    if (isFilled || details.hidden) return;
    isFilled = true;
    isFilled = await fillDetails(details, round, options);
  });
  item.append(button, details);
  return item;
}

/**
 * Fill an opened round; resolves with whether that worked.
 * @param {HTMLElement} details
 * @param {RoundRow} round
 * @param {RoundListOptions} options
 */
async function fillDetails(details, round, options) {
  try {
    const { RoundDetails } = await import("./round-details.js"); // most players never open a round here
    return await new RoundDetails(details, round, options).open();
  } catch {
    details.textContent = describeRefusal("SERVICE_UNAVAILABLE");
    return false;
  }
}

/** @param {import("../card-row.js").LabelledHand} hand */
function createHand({ cards }) {
  const hand = createElement("span", "round-hand");
  hand.append(...cards.map((code) => createElement("span", `mini-card ${RED_SUITS.has(code[0]) ? "red" : ""}`, code ? `${code.slice(1) === "1" ? "A" : code.slice(1)}${SUITS[code[0]]}` : "?")));
  return hand;
}

/**
 * @param {RoundRow} round
 * @param {import("../currency.js").Currency} currency
 */
function createNet({ isOpen, isVoid, net }, currency) {
  if (isOpen) return createElement("span", "tag", tell("round-open"));
  if (isVoid) return createElement("span", "tag", tell("round-void"));
  if (!net) return createElement("span", "round-net");
  const units = currency.parse(net);
  const sign = units > 0n ? "+" : "";
  return createElement("span", `round-net ${units > 0n ? "plus" : units < 0n ? "minus" : "even"}`, `${sign}${currency.format(units)}`);
}
