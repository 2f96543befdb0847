/** The page that deals a round again. What is to be checked comes in the form, or behind the # of the address. */

import { cardsLay, placesCount, placesRead } from "./blackjack-laid.js";
import { isNatural, totalWords } from "./blackjack-round.js";
import { cardElement } from "./cards.js";
import { baccaratDeal, blackjackOrder, commitment, dealCards, Stream } from "./fairness.js";

const DEFAULT_COUNT = 12;
const NEVER_SHOWN = "?"; // among the cards that were dealt: a hole card that the dealer never turned
const form = document.getElementById("verify");
const output = document.getElementById("verify-result");
const field = (name) => form.elements.namedItem(name);

function fill() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (given.has("server_seed")) form.reset(); // nothing of the round before stays in a field that this one leaves out
  for (const [name, value] of given) {
    if (field(name)) field(name).value = value;
  }
  if (given.get("server_seed")) deal();
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
    label.textContent = labels[index] ?? "Next";
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
function table(rows) {
  const list = document.createElement("div");
  list.className = "felt-strip hand-list";
  list.id = "verify-laid";
  list.setAttribute("role", "group");
  list.setAttribute("aria-label", "As the cards were laid");
  for (const { label, cards } of rows) {
    const row = document.createElement("div");
    row.className = "card-row";
    const name = document.createElement("span");
    name.className = "dim";
    const isSplit = rows.length > 2 && label !== "Dealer";
    const total = isNatural({ cards, isSplit }) ? "blackjack" : totalWords(cards);
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

/** Return a baccarat round: `{ cards, labels, extra }`, `extra` being what is shown below the cards. */
function baccaratRound(cards) {
  const round = baccaratDeal(cards);
  const summary = words(`Player ${round.playerScore}, banker ${round.bankerScore}.`, "");
  return { cards: cards.slice(0, round.order.length), labels: round.order, extra: [summary] };
}

/** Return a blackjack round as `baccaratRound` does; where its cards were laid is not computed but told. */
function blackjackRound(cards, places, wanted) {
  const dealt = wanted ? cards.slice(0, wanted) : cards;
  const order = { cards: dealt, labels: blackjackOrder(dealt.length), extra: [] };
  if (places?.length === 0) return order;
  const laid = places && placesCount(places) === dealt.length ? cardsLay(dealt, places) : null;
  if (!laid) {
    return { ...order, extra: [line("Where the cards were laid cannot be read, or is not of as many cards.", "bad")] };
  }
  const note = "The cards are computed here from the seeds. Where each was laid follows from your decisions: that is told by the round's record.";
  return { cards: dealt, labels: laid.labels, extra: [table(laid.rows), words(note, "dim")] };
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
  const expected = field("cards").value.trim().split(/[\s,]+/).filter(Boolean);
  const places = placesRead(field("places").value);
  const wanted = expected.length || placesCount(places ?? []);
  const hash = await commitment(seed);
  const stream = await Stream.open(seed, field("client_seed").value.trim(), field("nonce").value.trim());
  const all = await dealCards(stream, { decks, count: Math.max(wanted, DEFAULT_COUNT) });
  const isBaccarat = field("game").value === "og-baccarat";
  const { cards, labels, extra } = isBaccarat ? baccaratRound(all) : blackjackRound(all, places, wanted);
  const title = document.createElement("h2");
  title.textContent = "Dealt again";
  const facts = words(`SHA-256 of the server seed: ${hash}`, "mono dim");
  const codes = words(cards.join(" "), "mono", "verify-codes");
  output.replaceChildren(title, ...checks(hash, expected, cards), cardRow(cards, labels, expected), ...extra, codes, facts);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  deal();
});
window.addEventListener("hashchange", fill);
if (window.crypto?.subtle) fill();
else output.replaceChildren(line("This browser offers Web Crypto only over HTTPS: open this page by its https address, or use the twenty lines of Python.", "bad"));
