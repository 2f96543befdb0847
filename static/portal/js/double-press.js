// @ts-check
/**
 * The second press of a double click, where the first one has sent something: a bet, a move, a seat. It does nothing, be
 * it on the same button, or on one that has come there meanwhile, such as "Surrender" where "Deal" was.
 */

const DOUBLE_CLICK_MS = 400; // most people's double clicks are faster, and nobody decides about a new card in this time
const NEAR_PX = 24;

/**
 * `button`: its choice or part, since the buttons of a decision are made anew each time.
 * @typedef {{ time: number, x: number, y: number, button: string | Element | null, isByMouse: boolean }} Press
 */

/** @type {Press | null} */
let last = null;
/** The press before that one. @type {Press | null} */
let previous = null;
/** The press that sent something last. @type {Press | null} */
let sent = null;

document.addEventListener("pointerdown", ({ timeStamp, clientX, clientY, target, pointerType }) => {
  const button = target instanceof Element ? target.closest("button") : null;
  previous = last;
  last = {
    time: timeStamp, x: clientX, y: clientY, button: button?.dataset.choice ?? button?.dataset.part ?? button,
    isByMouse: pointerType === "mouse",
  };
}, { capture: true });
document.addEventListener("click", (event) => {
  if (event.detail === 0 || !isSecond(event.detail)) return; // 0: pressed by a key
  event.preventDefault();
  event.stopPropagation();
  last = null; // the next click may come from a screen reader, without a pointer
}, { capture: true });

/** Called when something is sent, within the click that sends it. */
export function noteSent() {
  sent = last;
}

/**
 * Return whether the last press is the second one of a double click.
 * @param {number} clicks  how many the system counts in a row at this place; it has the player's own speed of a double
 *   click. Some browsers do not count the taps of a finger.
 */
function isSecond(clicks) {
  if (!last || !sent || Math.hypot(last.x - sent.x, last.y - sent.y) >= NEAR_PX) return false;
  if (last.time - sent.time >= DOUBLE_CLICK_MS) return clicks > 1 && previous === sent; // a third click acts again
  return clicks > 1 || !last.isByMouse || last.button !== sent.button;
}
