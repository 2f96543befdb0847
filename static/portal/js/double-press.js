// @ts-check
/**
 * The second press of a double click, where the first one has sent something. If another button has come meanwhile, such
 * as "Surrender" where "Deal" was, the second press does nothing.
 */

const DOUBLE_CLICK_MS = 400; // most people's double clicks are faster, and nobody decides about a new card in this time
const NEAR_PX = 24;

/**
 * `button`: its choice or part, since the buttons of a decision are made anew each time.
 * @typedef {{ time: number, x: number, y: number, button: string | Element | null }} Press
 */

/** @type {Press | null} */
let last = null;
/** The press that sent something last. @type {Press | null} */
let sent = null;

document.addEventListener("pointerdown", ({ timeStamp, clientX, clientY, target }) => {
  const button = target instanceof Element ? target.closest("button") : null;
  last = { time: timeStamp, x: clientX, y: clientY, button: button?.dataset.choice ?? button?.dataset.part ?? button };
}, { capture: true });
document.addEventListener("click", (event) => {
  if (event.detail === 0 || !isSecond()) return; // 0: pressed by a key
  event.preventDefault();
  event.stopPropagation();
  last = null; // the next click may come from a screen reader, without a pointer
}, { capture: true });

/** Called when something is sent, within the click that sends it. */
export function noteSent() {
  sent = last;
}

function isSecond() {
  if (!last || !sent || last.button === sent.button) return false;
  return last.time - sent.time < DOUBLE_CLICK_MS && Math.hypot(last.x - sent.x, last.y - sent.y) < NEAR_PX;
}
