// @ts-check
/**
 * The page that deals a round again. The form, or the fragment of the URL, has the seeds of the round.
 *
 * Each game's module `redeal.js`, whose URL is in the page, deals the game. `RedealModule` describes its exports. The
 * module is pure: it neither reads nor changes the page.
 */

import { createCardRow } from "./card-row.js";
import { createCard } from "./cards.js";
import { countShown, dealRoundAgain, isAsDealt } from "./dealt-again.js";
import { clearOnInput, createElement, findElement, readPageData } from "./dom.js";
import { tell } from "./words.js";

/**
 * @typedef {object} RedealParams
 * @property {number} cardCount  the number of cards of the round; 0 if unknown
 * @property {string[]} places  the places of the cards, one sign for each, in the game's own notation
 *
 * @typedef {object} Redeal
 * @property {string[]} cards  the round's cards in dealing order
 * @property {string[]} labels  for each card, its receiver
 * @property {import("./card-row.js").LabelledHand[]} [hands]  the hands at the end of the round
 * @property {string} [outcome]  how the round ended, in a sentence
 * @property {string} [problem]  a sentence about a parameter that cannot be read
 * @property {string} [note]  a remark that the reader needs
 *
 * `redeal` gets the codes of the shoe's first cards, more than any round needs, and `tell` for its sentences.
 * @typedef {{ redeal: (shoe: string[], params: RedealParams, tell: import("./words.js").Tell) => Redeal }} RedealModule
 */


const form = findElement(document, "#verify", HTMLFormElement);
const output = findElement(document, "#verify-result", HTMLElement);
const button = findElement(form, "button[type=submit]", HTMLButtonElement);

/**
 * The button is enabled once all modules are loaded: from then on the page needs no network.
 * @returns {Promise<Map<string, RedealModule>>}
 */
async function loadGames() {
  /** @type {{ id: string, redeal: string }[]} */
  const games = readPageData("verify-games");
  const modules = await Promise.all(games.map(async ({ id, redeal }) => /** @type {const} */ ([id, await import(redeal)])));
  button.disabled = false;
  return new Map(modules);
}

/** @param {string} name */
function findField(name) {
  const field = form.elements.namedItem(name);
  return field instanceof HTMLInputElement || field instanceof HTMLSelectElement ? field : null;
}

/** @param {string} name */
function readField(name) {
  return findField(name)?.value.trim() ?? "";
}

/** @param {string} text */
function splitSigns(text) {
  return text.split(/[\s,]+/).filter(Boolean);
}

function fillForm() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (given.has("server_seed")) form.reset(); // so that no field keeps a value of the previous round
  for (const [name, value] of given) {
    const field = findField(name);
    if (field) field.value = value;
  }
  if (given.get("server_seed")) dealAgain();
}

/**
 * @param {string} text
 * @param {boolean} isGood
 */
function createNote(text, isGood) {
  return createElement("p", isGood ? "note success" : "note error", text);
}

/**
 * @param {Redeal} round
 * @param {string[]} expected
 */
function createDealtRow({ cards, labels }, expected) {
  const row = createElement("ol", "dealt-row");
  cards.forEach((code, index) => {
    const item = createElement("li");
    item.append(createCard(code), createElement("span", "", labels[index]));
    if (expected.length && !isAsDealt(code, expected[index])) item.classList.add("differs");
    row.append(item);
  });
  return row;
}

/** @param {import("./card-row.js").LabelledHand[]} hands */
function createHandTable(hands) {
  const table = createElement("div", "felt-strip hand-list");
  table.id = "verify-hands";
  table.setAttribute("role", "group");
  table.setAttribute("aria-label", tell("hands-as-dealt"));
  table.append(...hands.map(createCardRow));
  return table;
}

/**
 * Return the game's additions to the cards.
 * @param {Redeal} round
 */
function createExtras({ hands, outcome, problem, note }) {
  return [
    ...(problem ? [createNote(problem, false)] : []),
    ...(hands ? [createHandTable(hands)] : []),
    ...(outcome ? [createElement("p", "", outcome)] : []),
    ...(note ? [createElement("p", "dim", note)] : []),
  ];
}

/**
 * Return notes that say whether seed and cards are the expected ones.
 * @param {import("./dealt-again.js").DealtAgain} dealt
 * @param {string[]} expected
 */
function createChecks({ isCommitted, isSame }, expected) {
  const checks = [];
  if (readField("commitment")) {
    checks.push(createNote(tell(isCommitted ? "seed-committed" : "seed-not-committed"), isCommitted));
  }
  if (expected.length) {
    const text = isSame ? tell("cards-yours", { count: String(countShown(expected)) }) : tell("cards-not-yours");
    checks.push(createNote(text, isSame));
  }
  return checks;
}

async function dealAgain() {
  const game = (await games).get(readField("game"));
  if (!game) return;
  const expected = splitSigns(readField("cards"));
  const dealt = await dealRoundAgain({
    serverSeed: readField("server_seed"),
    commitment: readField("commitment"),
    clientSeed: readField("client_seed"),
    nonce: readField("nonce"),
    decks: Number(readField("decks")),
    cards: expected,
    places: splitSigns(readField("places")),
  }, game);
  const { round, commitment } = dealt;
  const codes = createElement("p", "mono", round.cards.join(" "));
  codes.id = "verify-codes";
  output.replaceChildren(
    createElement("h2", "", tell("dealt-again")),
    ...createChecks(dealt, expected),
    createDealtRow(round, expected),
    ...createExtras(round),
    codes,
    createElement("p", "mono dim", tell("seed-sha", { digest: commitment })),
  );
}

const games = loadGames(); // at once, so that the network can be disconnected afterwards
form.addEventListener("submit", (event) => {
  event.preventDefault();
  dealAgain();
});
window.addEventListener("hashchange", fillForm);
if (window.crypto?.subtle) {
  clearOnInput(form, output);
  fillForm();
} else output.replaceChildren(createNote(tell("crypto-needs-https"), false));
