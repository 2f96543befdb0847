// @ts-check
/**
 * The page that deals a table's round again. The form, or the fragment of the URL, has the seeds and the shoe of the
 * round.
 */

import { createCard } from "../../portal/js/cards.js";
import { clearOnInput, createElement, findElement } from "../../portal/js/dom.js";
import { computeCommitment } from "../../portal/js/fairness.js";
import { tell } from "../../portal/js/words.js";
import { computeChainSeed, dealRound } from "./table-shoe.js";

const FACES = 52;
const CARDS_SHOWN = 20;

const form = findElement(document, "#verify", HTMLFormElement);
const output = findElement(document, "#verify-result", HTMLElement);
const button = findElement(form, "button[type=submit]", HTMLButtonElement);

/** @param {string} name */
function findField(name) {
  const field = form.elements.namedItem(name);
  const isField = field instanceof HTMLInputElement || field instanceof HTMLSelectElement || field instanceof HTMLTextAreaElement;
  return isField ? field : null;
}

/** @param {string} name */
function readField(name) {
  return findField(name)?.value.trim() ?? "";
}

/** @param {string} name */
function splitField(name) {
  return readField(name).split(/[\s,]+/).filter(Boolean);
}

function fillForm() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (!given.has("server_seed")) return;
  form.reset(); // so that no field keeps a value of the previous round
  for (const [name, value] of given) {
    const field = findField(name);
    if (field) field.value = value;
  }
  dealAgain();
}

/**
 * @param {boolean} isGood
 * @param {string} yes
 * @param {string} no
 * @param {Record<string, string>} [values]
 */
function createNote(isGood, yes, no, values) {
  return createElement("p", isGood ? "note success" : "note error", tell(isGood ? yes : no, values));
}

/** Return notes on the seed: whether it is the committed one, and whether it belongs to the chain. */
async function checkSeed() {
  const seed = readField("server_seed");
  const [published, chain, place] = ["commitment", "chain", "chain_round"].map(readField);
  const notes = [];
  if (published) notes.push(createNote((await computeCommitment(seed)) === published.toLowerCase(), "seed-committed", "seed-not-committed"));
  if (chain && place) {
    notes.push(createNote((await computeChainSeed(seed, Number(place))) === chain.toLowerCase(), "live-chain-seed", "live-not-chain-seed"));
  }
  return notes;
}

/**
 * @param {string[]} codes
 * @param {string[]} expected
 */
function createDealtRow(codes, expected) {
  const row = createElement("ol", "dealt-row");
  codes.forEach((code, index) => {
    const item = createElement("li", expected.length && expected[index] !== code ? "differs" : "");
    item.append(createCard(code), createElement("span", "", String(index + 1)));
    row.append(item);
  });
  return row;
}

async function dealAgain() {
  const counts = splitField("shoe").map(Number);
  const expected = splitField("cards");
  if (counts.length && (counts.length !== FACES || !counts.every(Number.isInteger))) {
    output.replaceChildren(createNote(false, "live-shoe-unread", "live-shoe-unread"));
    return;
  }
  const round = {
    seed: readField("server_seed"), clientSeed: readField("client_seed"), nonce: readField("nonce"),
    shoe: counts.length ? counts : null, decks: Number(readField("decks")),
  };
  const cards = await dealRound(round, expected.length || CARDS_SHOWN);
  const isSame = expected.length === cards.length && expected.every((code, index) => code === cards[index]);
  const codes = createElement("p", "mono", cards.join(" "));
  codes.id = "verify-codes";
  output.replaceChildren(
    createElement("h2", "", tell("dealt-again")),
    ...(await checkSeed()),
    ...(expected.length ? [createNote(isSame, "live-cards-same", "live-cards-differ", { count: String(cards.length) })] : []),
    createDealtRow(cards, expected),
    ...(expected.length ? [] : [createElement("p", "dim", tell("live-cards-unknown"))]),
    codes,
  );
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  dealAgain();
});
window.addEventListener("hashchange", fillForm);
if (window.crypto?.subtle) {
  button.disabled = false;
  clearOnInput(form, output);
  fillForm();
} else output.replaceChildren(createNote(false, "crypto-needs-https", "crypto-needs-https"));
