// @ts-check
/**
 * Animations and their pauses. With reduced motion there are none. The player's pace shortens them, and the player can
 * skip those of a round.
 */

import { findPace } from "./pace.js";

const SLIDE_MS = 240;
const APPEAR_MS = 150;
const MOVE_MS = 360;
const COUNT_MS = 700;

/** @type {Set<() => void>} */
const endings = new Set();
/** A function for each running count-up, which ends it. @type {Set<() => void>} */
const counts = new Set();
let isSkipping = false;

/** Whether the player wants no motion. */
function isMotionReduced() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Resolve after `ms` milliseconds at the player's pace, or at once with reduced motion or while animations are skipped.
 * @param {number} ms
 * @returns {Promise<void>}
 */
export function pauseForEye(ms) {
  const shown = ms * findPace();
  if (isMotionReduced() || isSkipping || !shown) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      endings.delete(end);
      resolve();
    };
    const timer = setTimeout(end, shown);
    endings.add(end);
  });
}

/** Whether the page pauses for the player's eyes, so that there is something to skip. */
export function isPausing() {
  return endings.size > 0;
}

/** Show the animations from now on: a new action has begun. */
export function startAnimations() {
  isSkipping = false;
  for (const end of [...counts]) end();
}

/**
 * End the animations below the element, and show none until `startAnimations`.
 * @param {Element} element
 */
export function dismissAnimations(element) {
  isSkipping = true;
  for (const animation of element.getAnimations({ subtree: true })) {
    if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();
  }
  for (const end of [...endings, ...counts]) end();
}

/**
 * Resolve after `ms` milliseconds in any case, for pauses of the network.
 * @param {number} ms
 * @returns {Promise<void>}
 */
export function wait(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/**
 * Change the page, and slide elements that moved sideways from their former places.
 * @param {Element[]} elements
 * @param {() => void} change
 */
export function slide(elements, change) {
  const before = elements.map((element) => element.getBoundingClientRect().left);
  change();
  if (isStill()) return;
  elements.forEach((element, index) => {
    const distance = before[index] - element.getBoundingClientRect().left;
    if (!distance || !element.isConnected) return;
    element.animate({ translate: [`${distance}px 0`, "0 0"] }, { duration: SLIDE_MS * findPace(), easing: "ease-out" });
  });
}

/**
 * Let an element appear `ms` milliseconds from now at the player's pace, or at once with reduced motion.
 * @param {Element} element
 * @param {number} ms
 */
export function appear(element, ms) {
  if (isStill()) return;
  element.animate([{ opacity: 0 }, { opacity: 1 }], { delay: ms * findPace(), duration: APPEAR_MS * findPace(), fill: "backwards" });
}

/**
 * Move an element that is shown only for this from the middle of one element to that of another.
 * @param {Element} root  what `dismissAnimations` is called with
 * @param {HTMLElement} element
 * @param {Element} from
 * @param {Element} to
 */
export function moveCopy(root, element, from, to) {
  if (isStill()) return;
  const [start, end] = [from, to].map((each) => each.getBoundingClientRect());
  element.style.left = `${start.left + start.width / 2}px`;
  element.style.top = `${start.top + start.height / 2}px`;
  root.append(element);
  const [x, y] = [end.left + end.width / 2 - start.left - start.width / 2, end.top + end.height / 2 - start.top - start.height / 2];
  const movement = element.animate({ translate: ["0 0", `${x}px ${y}px`] }, { duration: MOVE_MS * findPace(), easing: "ease-in-out" });
  movement.addEventListener("finish", () => element.remove());
  movement.addEventListener("cancel", () => element.remove());
}

/**
 * Show a number that counts up from zero, or the last number at once without motion. A new round or a skip ends the
 * count.
 * @param {bigint} last
 * @param {(units: bigint) => void} show
 */
export function countUp(last, show) {
  for (const end of [...counts]) end();
  if (isStill()) {
    show(last);
    return;
  }
  const started = performance.now();
  const ms = COUNT_MS * findPace();
  let isEnded = false;
  const end = () => {
    isEnded = true;
    counts.delete(end);
    show(last);
  };
  const showNext = () => {
    if (isEnded) return;
    const part = (performance.now() - started) / ms;
    if (part >= 1) {
      end();
      return;
    }
    show((last * BigInt(Math.round(part * 1000))) / 1000n);
    requestAnimationFrame(showNext);
  };
  counts.add(end);
  showNext();
}

/** Whether there is no motion now. */
export function isStill() {
  return isMotionReduced() || isSkipping || !findPace();
}
