"""Measures a table's layout."""

from typing import Any, Final

from playwright.sync_api import Page

SIZES: Final = [(1280, 720), (844, 390), (390, 844), (360, 640)]
"""The sizes of windows in which a table must be completely visible: width and height."""

MEASURE = """
async () => {
  await Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => null)));
  await new Promise((resolve) => requestAnimationFrame(resolve));
  const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const describe = (element) => element.dataset.part ?? element.dataset.spot ?? element.className;
  const parts = "button, [data-part=verdict], [data-part=staked], .spot, .side, .dealer, .hand-box, .chip";
  const faults = [];
  for (const element of document.querySelectorAll(`#table :is(${parts}), .beside`)) {
    if (!shown(element) || element.closest("details:not([open]) > :not(summary)")) continue;
    const box = element.getBoundingClientRect();
    const [right, bottom] = [innerWidth + 0.5, innerHeight + 0.5];
    if (box.top < 0 || box.left < -0.5 || box.bottom > bottom || box.right > right) {
      faults.push(`outside the window: ${describe(element)} ${JSON.stringify(box)}`);
    }
  }
  for (const element of document.querySelectorAll("#table :is(button, .spot-name, .verdict)")) {
    if (!shown(element) || element.closest("details:not([open]) > :not(summary)")) continue;
    if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth) {
      faults.push(`the label overflows: ${describe(element)} ${element.scrollWidth} > ${element.clientWidth}`);
    }
    if (element.matches("button") && element.scrollHeight > element.clientHeight + 1) {
      faults.push(`the label is too high: ${describe(element)} ${element.scrollHeight} > ${element.clientHeight}`);
    }
  }
  for (const button of [...document.querySelectorAll("#table .bet-tools button")].filter(shown)) {
    const label = document.createRange();
    label.selectNodeContents(button);
    const room = button.clientWidth - label.getBoundingClientRect().width;
    if (room < 4) faults.push(`the label touches the edge: ${button.textContent} ${room}`);
  }
  const groups = [...document.querySelectorAll("#table .felt > *, #table > .rail-tools")].filter(
    (element) => shown(element) && !element.matches(".visually-hidden"),
  );
  for (const one of groups) {
    for (const other of groups) {
      if (one === other || one.contains(other)) continue;
      const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
      const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (width > 1 && height > 1 && groups.indexOf(one) < groups.indexOf(other)) {
        faults.push(`overlap: ${describe(one)} and ${describe(other)} by ${width} x ${height}`);
      }
    }
  }
  for (const element of document.querySelectorAll("#table :is(button, summary)")) {
    if (!shown(element) || element.closest("details:not([open]) > :not(summary)")) continue;
    const { width, height } = element.getBoundingClientRect();
    if (width < 43.5 || height < 43.5) faults.push(`smaller than a finger: ${describe(element)} ${width} x ${height}`);
  }
  for (const card of document.querySelectorAll("#table playing-card")) {
    const area = card.closest(".sides, .dealer, .hands").getBoundingClientRect();
    const box = card.getBoundingClientRect();
    if (box.top < area.top - 1 || box.bottom > area.bottom + 1) {
      faults.push(`a card leaves its area: ${box.top} to ${box.bottom} in ${area.top} to ${area.bottom}`);
    }
  }
  for (const stack of [...document.querySelectorAll("#table .spot .stack")].filter(shown)) {
    const top = Math.min(...[...stack.children].filter(shown).map((chip) => chip.getBoundingClientRect().top));
    const { left, right } = stack.getBoundingClientRect();
    for (const text of stack.closest(".spot").querySelectorAll(".spot-name, .spot-odds")) {
      const box = text.getBoundingClientRect();
      if (!shown(text) || box.right < left || box.left > right) continue;
      if (box.bottom > top + 3) faults.push(`a stack hides a text: ${text.textContent} by ${box.bottom - top}`);
    }
  }
  for (const result of [...document.querySelectorAll("#table .spot-result:not(:empty)")].filter(shown)) {
    const name = document.createRange();
    name.selectNodeContents(result.closest(".spot").querySelector(".spot-name"));
    const [a, b] = [name.getBoundingClientRect(), result.getBoundingClientRect()];
    const [width, height] = [Math.min(a.right, b.right) - Math.max(a.left, b.left), b.bottom - a.top];
    const isHiding = width > 1 && height > 5 && b.top < a.bottom;
    if (isHiding) faults.push(`a result hides a name: ${name} by ${width} x ${height}`);
  }
  for (const text of document.querySelectorAll("#table .spot:has(.stack) :is(.spot-odds, .spot-limits)")) {
    if (shown(text.closest(".spot")) && !shown(text)) faults.push(`a chip hides a text: ${text.textContent}`);
  }
  return faults;
}
"""


def layout_faults(page: Page) -> list[str]:
    """Return the parts of the table that are outside the window, overlap, overflow, or are too small for a finger."""
    found: list[Any] = page.evaluate(MEASURE)
    return [str(fault) for fault in found]


LIVE_FAULTS = """async () => {
  await new Promise((resolve) => requestAnimationFrame(resolve)); // a script places parts for the size of the window
  const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const parts = ".live :is(button, summary, .staked, .verdict), .bar a, .bar .button";
  const isAside = (element) => element.closest(".live-side, details:not([open]) > :not(summary)");
  const boxes = [...document.querySelectorAll(parts)].filter((element) => shown(element) && !isAside(element));
  const faults = boxes
    .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth)
    .map((element) => `the label overflows: ${element.innerText}`);
  if (scrollY) faults.push(`the page is scrolled by ${scrollY}`);
  const head = ".live-head h2, .live-tools > *";
  const whole = `${head}, .live .rail, .felt > *, .rail-tools > *, .live-offers > *, .seat.own, .live-house *`;
  for (const element of new Set([...boxes, ...document.querySelectorAll(whole)])) {
    const { top, bottom, left, right, width } = element.getBoundingClientRect();
    if (!shown(element) || !width || element.matches(".visually-hidden, .line[data-line=up]")) continue;
    const isOfOthers = element.closest(".live-seats > :not(.own)"); // their row is scrolled sideways
    const isBeside = !isOfOthers && (left < -0.5 || right > innerWidth + 0.5);
    if (!isBeside && top >= -0.5 && bottom <= innerHeight + 0.5) continue;
    const place = [left, top, right, bottom].map(Math.round);
    faults.push(`outside the window: ${element.className} ${place} ${element.innerText}`);
  }
  const tools = boxes.filter((element) => element.closest(".rail-tools, .live-head"));
  const bars = [...document.querySelectorAll(".live .rail-tools")].filter(shown);
  const above = ".live-clock, .live .verdict, .live-spots, .seat.own .seat-name, .seat.own .seat-cards > *";
  const felt = [...document.querySelectorAll(above)].filter((element) => shown(element) && element.clientHeight);
  const compare = (some, others) => {
    for (const one of some) for (const other of others) {
      const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
      const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (one !== other && width > 1 && height > 1) faults.push(`overlap: ${one.innerText} and ${other.innerText}`);
    }
  };
  compare(tools, tools);
  compare(felt, bars);
  for (const problem of document.querySelectorAll(".live .felt > .problem:empty")) {
    if (problem.offsetHeight) faults.push("an empty refusal covers the felt");
  }
  for (const hand of document.querySelectorAll(".seat.own .seat-hand")) {
    const seat = hand.closest(".seat").getBoundingClientRect();
    const words = document.createRange();
    words.selectNodeContents(hand);
    const { right, bottom } = words.getBoundingClientRect();
    if (right > seat.right || bottom > seat.bottom) faults.push(`a hand leaves its seat: ${hand.innerText}`);
  }
  compare(...Array(2).fill([...document.querySelectorAll(".seat.own .hand-status:not(:empty)")]));
  for (const result of document.querySelectorAll(".seat :is(.hand-status, .seat-net):not(:empty)")) {
    const { right } = result.closest(".seat").getBoundingClientRect();
    if (result.getBoundingClientRect().right > right) faults.push(`a result leaves its seat: ${result.innerText}`);
  }
  for (const bet of [...document.querySelectorAll(".seat .seat-bet")].filter(shown)) {
    const words = document.createRange();
    words.selectNodeContents(bet);
    const { right } = bet.closest(".seat").getBoundingClientRect();
    if (words.getBoundingClientRect().right > right) faults.push(`a bet leaves its seat: ${bet.innerText}`);
  }
  for (const spots of document.querySelectorAll(".live-spots")) {
    if (spots.scrollWidth > spots.clientWidth + 1) faults.push("the spots have to be scrolled");
  }
  for (const spot of [...document.querySelectorAll(".live-spots .spot")].filter(shown)) {
    const { top, bottom, left, right } = spot.getBoundingClientRect();
    for (const text of spot.querySelectorAll(".spot-name, .spot-odds, .spot-limits, .spot-stake")) {
      const words = document.createRange();
      words.selectNodeContents(text.lastChild ?? text);
      const box = words.getBoundingClientRect();
      if (!shown(text) && text.textContent) faults.push(`a chip hides a text: ${text.textContent}`);
      if (box.width && (box.top < top || box.bottom > bottom || box.left < left || box.right > right)) {
        faults.push(`a text leaves its spot: ${text.textContent}`);
      }
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push("wider than the window");
  return faults;
}"""


def live_faults(page: Page) -> list[str]:
    """Return the faults of a live table's layout: parts outside the window, which has not been scrolled, labels that do
    not fit, and controls that cover each other or the felt."""
    found: list[str] = page.evaluate(LIVE_FAULTS)
    return found


OVERFLOWING = """() => {
  const isScrolled = (element) => element.closest("pre, .table-scroll, .road-scroll, .visually-hidden, select, input");
  const found = [...document.querySelectorAll("body *")].filter((element) => {
    if (!element.clientWidth || element.scrollWidth <= element.clientWidth + 1) return false; // first: it is quick
    return getComputedStyle(element).display !== "inline" && !isScrolled(element) && element.innerText?.trim();
  });
  const width = document.documentElement.scrollWidth;
  const texts = found.map(({ tagName, className, innerText }) => `${tagName}.${className}: ${innerText.slice(0, 60)}`);
  return width > innerWidth ? [`the page: ${width}`, ...texts] : texts;
}"""
"""Elements whose text is wider than they are, except those that scroll by design."""


def overflowing(page: Page) -> list[str]:
    found: list[str] = page.evaluate(OVERFLOWING)
    return [f"{page.url}: {text}" for text in found]
