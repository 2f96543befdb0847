// @ts-check
/** Loads the advice if hints are on, or once the panel's tab of hints is in sight. */

import { isHinting } from "./hints-setting.js";
import { findPart } from "/static/portal/js/dom.js";
import { listenSignal } from "/static/portal/js/signals.js";

/** @typedef {{ round_id: string, isAsked: boolean, isOver: boolean }} RoundPlace  where a round stands */

/** @param {HTMLElement} root  the table */
export function connectHints(root) {
  /** @type {RoundPlace | null} */
  let place = null;
  /** @type {import("./advice.js").AdvicePanel | null} */
  let panel = null;

  const sight = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) load();
  });

  async function load() {
    sight.disconnect();
    const { AdvicePanel } = await import("./advice.js");
    panel ??= new AdvicePanel(root);
    if (place) panel.moveTo(place);
  }

  listenSignal("round-changed", (changed) => {
    place = changed;
    panel?.moveTo(changed);
  });
  if (isHinting()) load();
  else sight.observe(findPart(document, "hints"));
}
