// @ts-check
/**
 * Draws each `figure.plot` from the table in it, with uPlot (static/vendor/uplot/). docs/scripts.md, "Plots", describes
 * the attributes. The table stays on the page, since it has the exact figures and screen readers read it.
 */

import uPlot from "/static/vendor/uplot/uPlot.esm.js";

const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
const MONTH_S = 30 * DAY_S;
const YEAR_S = 365 * DAY_S;
/**
 * The steps between marks of time. Each one is at most two and a half times as long as the one before, so that a narrow
 * plot has at least one mark, whatever its stretch of time is.
 */
const TIME_STEPS_S = [
  ...[1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_S),
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * HOUR_S),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15].map((days) => days * DAY_S),
  ...[1, 2, 3, 4, 6].map((months) => months * MONTH_S),
  ...[1, 2, 5, 10, 20, 50].map((years) => years * YEAR_S),
];
const LONE_SECOND_ROOM_S = 30;
const MOST_DECIMALS = 8;
const FONT = "12px system-ui, sans-serif";
const THEME_ATTRIBUTES = ["class", "data-theme"];

/**
 * One column: its kind of drawing, its name, its values, and the texts of its cells.
 * @typedef {{ kind: string, label: string, values: (number | null)[], texts: string[] }} Column
 */

/** @param {ParentNode} [root] */
export function drawPlots(root = document) {
  for (const figure of root.querySelectorAll("figure.plot")) {
    if (figure instanceof HTMLElement) new Plot(figure).follow();
  }
}

/** The plot of one figure, drawn again when its width or the page's theme changes. */
class Plot {
  /** @param {HTMLElement} figure */
  constructor(figure) {
    this.figure = figure;
    this.columns = readColumns(figure);
    this.area = document.createElement("div");
    this.area.className = "plot-area";
    this.area.setAttribute("aria-hidden", "true");
    /** @type {uPlot | null} */
    this.drawn = null;
  }

  follow() {
    if (this.columns.length < 2 || this.columns[0].values.length < 2) return;
    [...this.figure.children].find((child) => child.matches("table, :has(table)"))?.before(this.area);
    this.draw();
    new ResizeObserver(() => this.drawn?.setSize(this.#readSize())).observe(this.area);
    new MutationObserver(() => this.draw()).observe(document.documentElement, { attributeFilter: THEME_ATTRIBUTES });
    for (const query of ["(prefers-color-scheme: light)", "(prefers-contrast: more)"]) {
      matchMedia(query).addEventListener("change", () => this.draw());
    }
  }

  draw() {
    this.drawn?.destroy();
    const data = /** @type {uPlot.AlignedData} */ (this.columns.map((column) => column.values));
    this.drawn = new uPlot(this.#buildOptions(), data, this.area);
  }

  #readSize() {
    return { width: this.area.clientWidth, height: Number(this.figure.dataset.height) || 240 };
  }

  /** @returns {uPlot.Options} */
  #buildOptions() {
    const isTime = this.figure.dataset.x === "time";
    const axis = { stroke: readColour(this.figure, "axis"), grid: { stroke: readColour(this.figure, "grid"), width: 1 }, ticks: { show: false }, font: FONT };
    const zone = document.documentElement.dataset.timeZone;
    return {
      ...this.#readSize(),
      ...(zone ? { tzDate: (/** @type {number} */ seconds) => uPlot.tzDate(new Date(seconds * 1000), zone) } : {}),
      scales: { x: { time: isTime, ...(isTime ? { range: fitTimes } : {}) } },
      axes: [
        isTime
          ? { ...axis, space: 64, incrs: TIME_STEPS_S, values: (...[, splits, , , step]) => splits.map((at) => formatAxisTime(at, step)) }
          : { ...axis, space: 80, values: (_plot, splits) => formatNumbers(splits) },
        { ...axis, values: (_plot, splits) => formatNumbers(splits), size: fitAxis },
      ],
      series: this.columns.map((column, index) => this.#buildSeries(column, index)),
      bands: buildBands(this.columns).map((series) => ({ series, fill: readColour(this.figure, "band") })),
      cursor: { drag: { x: false, y: false }, points: { size: 7 } },
      legend: { markers: { width: 2 } },
    };
  }

  /**
   * @param {Column} column
   * @param {number} index
   * @returns {uPlot.Series}
   */
  #buildSeries({ kind, label, texts }, index) {
    /** @type {uPlot.Series.Value} */
    const readText = (...[, , , at]) => (at === null ? "–" : texts[at]);
    if (kind === "x") return { label, value: readText };
    const isBand = kind === "low" || kind === "high";
    return {
      label,
      value: readText,
      stroke: readColour(this.figure, isBand ? "band-edge" : `series-${index}`),
      width: isBand ? 1 : 2,
      dash: kind === "reference" ? [6, 4] : undefined,
      paths: kind === "step" ? uPlot.paths.stepped?.({ align: 1 }) : undefined,
      points: { show: false },
    };
  }
}

/**
 * Return the columns whose headings have `data-plot`. The first one is the axis along the bottom.
 * @param {HTMLElement} figure
 * @returns {Column[]}
 */
function readColumns(figure) {
  const table = figure.querySelector("table");
  if (!table) return [];
  const heads = [...table.querySelectorAll("thead th")];
  const rows = readRows(table, heads.findIndex((head) => head instanceof HTMLElement && head.dataset.plot === "x"));
  return heads.flatMap((head, index) => {
    const kind = head instanceof HTMLElement ? head.dataset.plot : undefined;
    if (!kind) return [];
    const cells = rows.map((row) => row.cells[index]);
    const texts = cells.map(readCell);
    return [{ kind, label: head.textContent?.trim() ?? "", texts, values: cells.map(readValue) }];
  });
}

/**
 * Return the table's rows with the lowest place on the axis first: a table of days may begin with the newest.
 * @param {HTMLTableElement} table
 * @param {number} axis  the index of the axis' column
 */
function readRows(table, axis) {
  const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
  const [first, last] = [rows.at(0), rows.at(-1)].map((row) => (row && axis >= 0 ? readValue(row.cells[axis]) : null));
  return first !== null && last !== null && first > last ? rows.reverse() : rows;
}

/** @param {HTMLTableCellElement} cell */
function readCell(cell) {
  return (cell.textContent ?? "").trim();
}

/** @param {HTMLTableCellElement} cell */
function readValue(cell) {
  return readNumber(cell.dataset.value ?? readCell(cell));
}

/** @param {string} text */
function readNumber(text) {
  return text === "" || Number.isNaN(Number(text)) ? null : Number(text);
}

/**
 * Return the pairs of columns with a filled band between them: each upper bound with the lower one that follows or
 * precedes it.
 * @param {Column[]} columns
 * @returns {[number, number][]}
 */
function buildBands(columns) {
  const lows = columns.flatMap(({ kind }, index) => (kind === "low" ? [index] : []));
  const highs = columns.flatMap(({ kind }, index) => (kind === "high" ? [index] : []));
  return highs.slice(0, lows.length).map((high, number) => [high, lows[number]]);
}

/**
 * @param {HTMLElement} figure
 * @param {string} name
 */
function readColour(figure, name) {
  const style = getComputedStyle(figure);
  return style.getPropertyValue(`--plot-${name}`).trim() || style.getPropertyValue("--plot-series-1").trim() || style.color;
}

/**
 * Return the numbers of an axis, all with the decimals that one of them needs.
 * @param {number[]} numbers
 */
function formatNumbers(numbers) {
  const decimals = numbers.map((number) => number.toFixed(MOST_DECIMALS).replace(/\.?0+$/, "").split(".")[1]?.length ?? 0);
  const minimumFractionDigits = Math.max(0, ...decimals);
  const format = new Intl.NumberFormat(document.documentElement.lang, { minimumFractionDigits, maximumFractionDigits: MOST_DECIMALS });
  return numbers.map((number) => format.format(number));
}

/**
 * Return the ends of the axis of time. Values of one second alone have some room around them: uPlot's own ends would be
 * years apart.
 * @param {uPlot} plot
 * @param {number} first
 * @param {number} last
 * @returns {[number, number]}
 */
function fitTimes(plot, first, last) {
  const times = plot.data[0];
  return times[0] === times[times.length - 1] ? [times[0] - LONE_SECOND_ROOM_S, times[0] + LONE_SECOND_ROOM_S] : [first, last];
}

/**
 * Return a time as precisely as the steps between the marks need.
 * @param {number} seconds
 * @param {number} step  seconds between two marks
 */
function formatAxisTime(seconds, step) {
  const timeZone = document.documentElement.dataset.timeZone || undefined;
  /** @type {Intl.DateTimeFormatOptions} */
  let parts = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  if (step < MINUTE_S) parts.second = "2-digit";
  if (step >= DAY_S) parts = { day: "numeric", month: "short" };
  if (step >= YEAR_S) parts = { year: "numeric" };
  return new Date(seconds * 1000).toLocaleString(document.documentElement.lang, { ...parts, timeZone });
}

/**
 * Return the width of the axis at the side: that of its longest mark.
 * @param {uPlot} plot
 * @param {string[]} marks
 */
function fitAxis(plot, marks) {
  const { ctx } = plot;
  ctx.save();
  ctx.font = FONT;
  const widths = (marks ?? []).map((mark) => ctx.measureText(mark).width);
  ctx.restore();
  return Math.max(40, ...widths) + 16;
}

drawPlots();
