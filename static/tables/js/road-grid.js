// @ts-check
/** A road map: cells in a grid six rows deep, as the public state places them. */

import { createElement } from "../../portal/js/dom.js";

/** @typedef {Record<string, any>} Cell  `column` and `row` from 0; `winner`, or `colour` of a derived road; ties and pairs */

/** @typedef {(winner: string) => string} Mark  writes a cell's letter */

/**
 * Return a road that scrolls sideways to its newest cells.
 * @param {Cell[]} cells
 * @param {{ className: string, label: string, mark?: Mark | null }} options  without a mark, cells count their ties
 */
export function createRoad(cells, { className, label, mark = null }) {
  const scroll = createElement("div", "road-box");
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", label);
  const grid = createElement("div", `road-grid ${className}`);
  grid.append(...cells.map((cell) => createCell(cell, mark)));
  scroll.append(grid);
  requestAnimationFrame(() => {
    scroll.scrollLeft = scroll.scrollWidth;
  });
  return scroll;
}

/**
 * @param {Cell} cell
 * @param {Mark | null} mark
 */
function createCell({ column, row, winner, colour, ties, playerPair, bankerPair }, mark) {
  const count = Number(ties ?? 0);
  const text = mark ? mark(winner) : count > 1 ? String(count) : "";
  const span = createElement("span", winner ?? colour, text);
  span.classList.toggle("tied", count > 0);
  span.classList.toggle("pair-player", Boolean(playerPair));
  span.classList.toggle("pair-banker", Boolean(bankerPair));
  span.style.gridColumn = String(Number(column) + 1);
  span.style.gridRow = String(Number(row) + 1);
  return span;
}
