// @ts-check
/** The list of live tables: the open ones with their current state, and a form for the player's own table. */

import { createElement, findElement, readPageData } from "../../portal/js/dom.js";
import { listNames } from "../../portal/js/locale.js";
import { groupThousands } from "../../portal/js/money.js";
import { wait } from "../../portal/js/motion.js";
import { PlayerIdentity } from "../../portal/js/player-identity.js";
import { tell } from "../../portal/js/words.js";
import { CreateForm } from "./create-form.js";
import { CredentialStore, LoggedOut } from "./credentials.js";
import { TableRest } from "./rest.js";
import { TableSocket } from "./table-socket.js";

/** @typedef {import("./table-model.js").Json} Json */

const REFRESH_MS = 2000;
const HIDDEN_REFRESH_MS = 20_000;

const page = readPageData("page-data");
const csrfToken = findElement(document, "[name=csrfmiddlewaretoken]", HTMLInputElement).value;
const identity = new PlayerIdentity({ player: page.player, token: page.token, csrfToken, loginUrl: page.loginUrl });
const credentials = new CredentialStore({ url: page.tokenUrl, identity });
const rest = new TableRest(credentials);
// A session without a socket ends soon, and so do this window's seats at tables.
const socket = new TableSocket({
  url: page.socketUrl, credentials, listeners: { onConnection: () => {}, onTable: () => {}, onSession: () => {} },
});
const list = findElement(document, "#rooms", HTMLUListElement);
const status = findElement(document, "#lobby-status", HTMLElement);
const filter = findElement(document, "#game-filter", HTMLElement);
/** Null before the first answer. @type {Json[] | null} */
let rooms = null;
let shownSigns = "";

async function followRooms() {
  for (;;) {
    try {
      ({ rooms } = await rest.listRooms());
      showRooms();
    } catch (error) {
      if (error instanceof LoggedOut) {
        status.replaceChildren(`${tell("live-logged-out")} `, identity.createLoginLink());
        return;
      }
      status.textContent = tell("live-lobby-silent");
    }
    await wait(document.hidden ? HIDDEN_REFRESH_MS : REFRESH_MS);
  }
}

function showRooms() {
  if (!rooms) return;
  const checked = filter.querySelector("input:checked");
  const wanted = checked instanceof HTMLInputElement ? checked.value : "";
  const shown = rooms.filter(({ id, gameType }) => (!wanted || gameType === wanted) && !page.beside.includes(id));
  const words = tell("live-tables-open", { count: String(shown.length) });
  if (status.textContent !== words) status.textContent = words;
  const signs = JSON.stringify(shown);
  if (signs === shownSigns) return; // without a change the rows stay, so none moves under the pointer
  shownSigns = signs;
  const focused = document.activeElement instanceof HTMLAnchorElement ? document.activeElement.href : "";
  list.replaceChildren(...shown.map(createRoom));
  for (const link of list.querySelectorAll("a")) if (link.href === focused) link.focus({ preventScroll: true });
}

/** @param {Json} room */
function createRoom(room) {
  const item = createElement("li", "room");
  const title = createElement("h2");
  const link = createElement("a", "", room.name);
  link.href = page.beside.length ? `${page.lobbyUrl}?open=${[...page.beside, room.id].join(",")}` : `${page.lobbyUrl}${room.id}/`;
  title.append(link);
  const phase = createElement("span", "tag", tell(`phase-${room.gameStatus}`));
  phase.dataset.status = room.gameStatus;
  const unit = room.currency ?? tell("live-unit-points");
  const facts = tell("live-facts", { game: page.games[room.gameType]?.title ?? room.gameType, limits: tell("range", { least: groupThousands(room.minBuyin), most: groupThousands(room.maxBuyin) }), unit });
  item.append(title, phase, createElement("p", "wide", facts), createSeats(room), createPlayers(room), createResults(room));
  if (page.off.includes(room.id)) item.append(createElement("p", "wide", tell("refused-GAME_DISABLED")));
  return item;
}

/** @param {Json} room */
function createSeats({ players = [], playerCount, maxPlayers }) {
  const seats = createElement("p", "room-seats wide");
  const bots = players.filter((/** @type {Json} */ player) => player.bot).length;
  for (let number = 0; number < Number(maxPlayers); number += 1) {
    const dot = createElement("i", number < Number(playerCount) ? "taken" : "");
    dot.classList.toggle("bot", number < Number(playerCount) && number >= Number(playerCount) - bots);
    dot.setAttribute("aria-hidden", "true");
    seats.append(dot);
  }
  seats.append(` ${tell(bots ? "live-seats-bots" : "live-seats-taken", { count: String(playerCount), most: String(maxPlayers), bots: String(bots) })}`);
  return seats;
}

/** @param {Json} room */
function createPlayers({ players = [] }) {
  const names = players.filter((/** @type {Json} */ player) => !player.bot).map((/** @type {Json} */ player) => player.displayName);
  return createElement("p", "wide", names.length ? tell("live-with", { names: listNames(names) }) : "");
}

/**
 * Return a sign of the side that won: the first letter of its name in the page's language. A tie is none of the sides,
 * whose names may begin with the same letter.
 * @param {string} gameType
 * @param {string} winner
 */
function markWinner(gameType, winner) {
  return winner === "tie" ? "=" : (page.games[gameType]?.bets[winner] ?? winner)[0].toUpperCase();
}

/** @param {Json} room */
function createResults({ gameType, previousResults = [] }) {
  const results = createElement("p", "room-results wide");
  for (const { winner, dealer } of previousResults.slice(-10)) {
    const text = winner ? markWinner(gameType, winner) : Number(dealer?.value) > 21 ? tell("live-bust") : String(dealer?.value ?? "");
    results.append(createElement("span", "", text));
  }
  if (previousResults.length) results.prepend(createElement("span", "visually-hidden", tell("live-last-results")));
  return results;
}

filter.addEventListener("change", showRooms);
new CreateForm(findElement(document, "#create-form", HTMLFormElement), {
  games: page.games,
  create: (room) => rest.createRoom(room),
  onCreated: (id) => location.assign(`${page.lobbyUrl}${id}/`),
});
socket.start();
followRooms();
