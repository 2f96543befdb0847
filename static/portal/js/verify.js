/** The page that deals a round again. What is to be checked comes in the form, or behind the # of the address. */

import { cardElement } from "./cards.js";
import { baccaratDeal, blackjackOrder, commitment, dealCards, Stream } from "./fairness.js";

const DEFAULT_COUNT = 12;
const form = document.getElementById("verify");
const output = document.getElementById("verify-result");
const field = (name) => form.elements.namedItem(name);

function fill() {
  const given = new URLSearchParams(location.hash.slice(1));
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
    if (expected.length && expected[index] !== code) item.classList.add("differs");
    row.append(item);
  });
  return row;
}

async function deal() {
  const seed = field("server_seed").value.trim();
  const decks = Number(field("decks").value);
  const expected = field("cards").value.trim().split(/[\s,]+/).filter(Boolean);
  const parts = [];
  const hash = await commitment(seed);
  const published = field("commitment").value.trim().toLowerCase();
  if (published) {
    parts.push(published === hash
      ? line("The server seed is the one that was committed to.", "good")
      : line("The server seed does not match the commitment.", "bad"));
  }
  const stream = await Stream.open(seed, field("client_seed").value.trim(), field("nonce").value.trim());
  let cards = await dealCards(stream, { decks, count: Math.max(expected.length, DEFAULT_COUNT) });
  let labels = blackjackOrder(cards.length);
  let summary = "";
  if (field("game").value === "og-baccarat") {
    const round = baccaratDeal(cards);
    labels = round.order;
    cards = cards.slice(0, labels.length);
    summary = `Player ${round.playerScore}, banker ${round.bankerScore}.`;
  } else if (expected.length) {
    cards = cards.slice(0, expected.length);
  }
  if (expected.length) {
    const same = expected.length === cards.length && expected.every((code, index) => code === cards[index]);
    parts.push(same
      ? line(`All ${cards.length} cards are the ones that you were dealt.`, "good")
      : line("These are not the cards that you were dealt.", "bad"));
  }
  const title = document.createElement("h2");
  title.textContent = "Dealt again";
  const facts = document.createElement("p");
  facts.className = "mono dim";
  facts.textContent = `SHA-256 of the server seed: ${hash}`;
  const codes = document.createElement("p");
  codes.className = "mono";
  codes.id = "verify-codes";
  codes.textContent = cards.join(" ");
  const words = document.createElement("p");
  words.textContent = summary;
  output.replaceChildren(title, ...parts, cardRow(cards, labels, expected), words, codes, facts);
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  deal();
});
window.addEventListener("hashchange", fill);
if (window.crypto?.subtle) fill();
else output.replaceChildren(line("This browser offers Web Crypto only over HTTPS: open this page by its https address, or use the twenty lines of Python.", "bad"));
