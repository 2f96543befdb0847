/** Draws the last rounds: bead plate, big road, and the same in words. */

import { beadPlate, bigRoad } from "./roads.js";

const $ = (id) => document.getElementById(id);

/** Show the outcomes, oldest first; `winners` are the words for `p`, `b` and `t`. */
export function roadsShow(outcomes, winners) {
  $("bead").replaceChildren(...beadPlate(outcomes).map((found) => cell(found, found.winner.toUpperCase())));
  $("big").replaceChildren(...bigRoad(outcomes).map(bigCell));
  $("big-scroll").scrollLeft = $("big-scroll").scrollWidth;
  $("road-words").textContent = words(outcomes, winners);
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

function words(outcomes, winners) {
  if (!outcomes.length) return "No rounds yet.";
  const counts = ["p", "b", "t"].map((winner) => {
    const count = outcomes.filter((found) => found.winner === winner).length;
    return `${winners[winner].toLowerCase()} ${count}`;
  });
  return `Last ${outcomes.length} rounds: ${counts.join(", ")}. The newest: ${winners[outcomes.at(-1).winner].toLowerCase()}.`;
}
