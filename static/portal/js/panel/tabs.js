// @ts-check
/** Tabs with their panels: a click, an arrow key, Home or End chooses one. The browser remembers which. */

import { findElement } from "../dom.js";
import { readStored, writeStored } from "../stored.js";

const STORE = "punto-panel";
/** @type {Record<string, (at: number, count: number) => number>} */
const STEPS = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
};

/** @param {HTMLElement} body */
export function connectTabs(body) {
  const list = findElement(body, "[role=tablist]", HTMLElement);
  const tabs = [...list.querySelectorAll("[role=tab]")].filter((tab) => tab instanceof HTMLButtonElement);

  /** @param {HTMLElement} chosen */
  function choose(chosen) {
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      findElement(body, `#${tab.getAttribute("aria-controls")}`, HTMLElement).hidden = tab !== chosen;
    }
    writeStored(STORE, chosen.id);
    body.dispatchEvent(new CustomEvent("tab", { detail: chosen.id }));
  }

  list.addEventListener("click", ({ target }) => {
    const tab = tabs.find((each) => target instanceof Node && each.contains(target));
    if (tab) choose(tab);
  });
  list.addEventListener("keydown", (event) => {
    const at = tabs.findIndex((tab) => tab === event.target);
    const step = STEPS[event.key];
    if (at < 0 || !step) return;
    event.preventDefault();
    const next = tabs[step(at, tabs.length)];
    choose(next);
    next.focus();
  });
  for (const tab of tabs) tab.disabled = false;
  const remembered = readStored(STORE);
  choose(tabs.find(({ id }) => id === remembered) ?? tabs[0]);
}
