/**
 * The page that deals a round again. What is to be checked comes in the form, or behind the # of the address.
 *
 * How a game is dealt is told by its own module `redeal.js`, whose address the page carries. The module is pure and exports
 * one function:
 *
 *     redeal(shoe, { cardCount, places })
 *
 * - `shoe`: the codes of the shoe's first cards, more than any round takes;
 * - `cardCount`: how many cards the round had, or 0 where that is not said;
 * - `places`: what is said of where the cards lay, sign by sign; only the game knows what it means.
 *
 * It returns
 *
 * - `cards`: the round's cards in dealing order;
 * - `labels`: for each card, to whom it went;
 * - `hands`: optional, the hands as they lay at the end, `{ label, cards, total }` each;
 * - `outcome`: optional, how the round ended, in a sentence;
 * - `problem`: optional, what of the parameters cannot be read, in a sentence;
 * - `note`: optional, what the reader has to know of all this, in a sentence.
 */

import { cardElement } from "./cards.js";
import { commitment, dealCards, Stream } from "./fairness.js";

const SHOE_CARDS = 52;
const NEVER_SHOWN = "?"; // among the cards that were dealt: a hole card that the dealer never turned
const form = document.getElementById("verify");
const output = document.getElementById("verify-result");
const field = (name) => form.elements.namedItem(name);

async function loadGames() {
  const games = JSON.parse(document.getElementById("verify-games").textContent);
  const modules = await Promise.all(games.map(({ redeal }) => import(redeal)));
  return new Map(games.map(({ id }, index) => [id, modules[index]]));
}

function fill() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (given.has("server_seed")) form.reset(); // nothing of the round before stays in a field that this one leaves out
  for (const [name, value] of given) {
    if (field(name)) field(name).value = value;
  }
  if (given.get("server_seed")) deal();
}

function splitSigns(text) {
  return text.split(/[\s,]+/).filter(Boolean);
}

function line(text, tone) {
  const paragraph = document.createElement("p");
  paragraph.className = tone === "good" ? "note success" : `note ${tone === "bad" ? "error" : ""}`;
  paragraph.textContent = text;
  return paragraph;
}

function cardRow(cards, labels, expected) {
  const row = document.createElement("ol");
  row.className = "dealt-row";
  cards.forEach((code, index) => {
    const item = document.createElement("li");
    const card = cardElement(code);
    const label = document.createElement("span");
    label.textContent = labels[index];
    item.append(card, label);
    if (expected.length && !isAsDealt(code, expected[index])) item.classList.add("differs");
    row.append(item);
  });
  return row;
}

function isAsDealt(code, expected) {
  return expected === NEVER_SHOWN || code === expected;
}

/** Show each hand as it lay at the end. */
function handTable(hands) {
  const list = document.createElement("div");
  list.className = "felt-strip hand-list";
  list.id = "verify-laid";
  list.setAttribute("role", "group");
  list.setAttribute("aria-label", "As the cards were laid");
  for (const { label, cards, total } of hands) {
    const row = document.createElement("div");
    row.className = "card-row";
    const name = document.createElement("span");
    name.className = "dim";
    name.textContent = `${label} ${total}`;
    const faces = cards.map((code) => cardElement(code));
    for (const face of faces) face.classList.add("medium");
    row.append(name, ...faces);
    list.append(row);
  }
  return list;
}

/** Return a paragraph's words as an element. */
function words(text, className, id = "") {
  const paragraph = document.createElement("p");
  paragraph.className = className;
  if (id) paragraph.id = id;
  paragraph.textContent = text;
  return paragraph;
}

/** Return what a game tells beside the cards. */
function extras({ hands, outcome, problem, note }) {
  return [
    ...(problem ? [line(problem, "bad")] : []),
    ...(hands ? [handTable(hands)] : []),
    ...(outcome ? [words(outcome, "")] : []),
    ...(note ? [words(note, "dim")] : []),
  ];
}

function checks(hash, expected, cards) {
  const parts = [];
  const published = field("commitment").value.trim().toLowerCase();
  if (published) {
    parts.push(published === hash
      ? line("The server seed is the one that was committed to.", "good")
      : line("The server seed does not match the commitment.", "bad"));
  }
  if (expected.length) {
    const same = expected.length === cards.length && expected.every((code, index) => isAsDealt(cards[index], code));
    const shown = expected.filter((code) => code !== NEVER_SHOWN).length;
    parts.push(same
      ? line(`All ${shown} cards are the ones that you were dealt.`, "good")
      : line("These are not the cards that you were dealt.", "bad"));
  }
  return parts;
}

async function deal() {
  const seed = field("server_seed").value.trim();
  const decks = Number(field("decks").value);
  const expected = splitSigns(field("cards").value);
  const places = splitSigns(field("places").value);
  const hash = await commitment(seed);
  const stream = await Stream.open(seed, field("client_seed").value.trim(), field("nonce").value.trim());
  const shoe = await dealCards(stream, { decks, count: Math.max(SHOE_CARDS, expected.length, places.length) });
  const { redeal } = (await games).get(field("game").value);
  const round = redeal(shoe, { cardCount: expected.length, places });
  const { cards, labels } = round;
  const title = document.createElement("h2");
  title.textContent = "Dealt again";
  const facts = words(`SHA-256 of the server seed: ${hash}`, "mono dim");
  const codes = words(cards.join(" "), "mono", "verify-codes");
  output.replaceChildren(title, ...checks(hash, expected, cards), cardRow(cards, labels, expected), ...extras(round), codes, facts);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  deal();
});
window.addEventListener("hashchange", fill);
const games = loadGames(); // now, so that the network can be cut off afterwards
if (window.crypto?.subtle) fill();
else output.replaceChildren(line("This browser offers Web Crypto only over HTTPS: open this page by its https address, or use the twenty lines of Python.", "bad"));
