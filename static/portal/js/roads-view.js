/** Draws the last rounds: bead plate, big road, and the same in words. */

import { beadPlate, bigRoad, outcome } from "./roads.js";

export const WINNERS = { p: "Player", b: "Banker", t: "Tie" };

const $ = (id) => document.getElementById(id);

/** Show the deals, oldest first: `{ player, banker }` with the codes of their cards. */
export function roadsShow(deals) {
  const outcomes = deals.map(outcome);
  $("bead").replaceChildren(...beadPlate(outcomes).map((found) => cell(found, found.winner.toUpperCase())));
  $("big").replaceChildren(...bigRoad(outcomes).map(bigCell));
  $("big-scroll").scrollLeft = $("big-scroll").scrollWidth;
  $("road-words").textContent = words(outcomes);
}

function bigCell(found) {
  const span = cell(found, found.ties > 1 ? String(found.ties) : "");
  span.classList.toggle("tied", found.ties > 0);
  span.style.gridColumn = found.column;
  span.style.gridRow = found.row;
  return span;
}

function cell({ winner, playerPair, bankerPair }, text) {
  const span = document.createElement("span");
  span.className = winner;
  span.classList.toggle("pair-p", playerPair);
  span.classList.toggle("pair-b", bankerPair);
  span.textContent = text;
  return span;
}

function words(outcomes) {
  if (!outcomes.length) return "No rounds yet.";
  const [player, banker, tie] = ["p", "b", "t"].map((winner) => outcomes.filter((found) => found.winner === winner).length);
  const newest = WINNERS[outcomes.at(-1).winner].toLowerCase();
  return `Last ${outcomes.length} rounds: player ${player}, banker ${banker}, tie ${tie}. The newest: ${newest}.`;
}
