// @ts-check
/** Places the panel: beside the table on a wide screen, else in a sheet that a button of the table opens. */

import { findButton, findElement, findPart } from "../dom.js";

/** As in `panel.css`. */
const WIDE = "(min-width: 1180px) and (min-height: 501px)";

/**
 * @param {HTMLElement} beside
 * @param {() => void} onSight  called whenever the panel comes in sight
 */
export function placePanel(beside, onSight) {
  const body = findPart(beside, "beside-body");
  const sheet = findElement(document, "[data-part=sheet]", HTMLDialogElement);
  const place = findPart(sheet, "sheet-body");
  const wide = window.matchMedia(WIDE);

  const placeBody = () => {
    if (wide.matches && sheet.open) sheet.close();
    (wide.matches ? beside : place).append(body);
    if (wide.matches) onSight();
  };

  wide.addEventListener("change", placeBody);
  placeBody();
  const opener = findButton(document, "panel-open");
  opener.addEventListener("click", () => {
    sheet.showModal();
    onSight();
  });
  opener.disabled = false;
  findButton(sheet, "sheet-close").addEventListener("click", () => sheet.close());
  sheet.addEventListener("click", ({ target }) => target === sheet && sheet.close()); // beside the sheet
  // The table behind the sheet gets no keys. Keys act wherever the focus is, and after a click nothing may have the
  // focus.
  sheet.addEventListener("keydown", (event) => event.stopPropagation());
  window.addEventListener("keydown", (event) => {
    if (sheet.open && event.target === document.body) event.stopImmediatePropagation();
  }, { capture: true });
}
