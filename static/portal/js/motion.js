// @ts-check
/**
 * Animations and their pauses. With reduced motion there are none; the player's pace shortens them, and a player who does
 * not want to wait skips those of a round.
 */

import { findPace } from "./pace.js";

const SLIDE_MS = 240;
const APPEAR_MS = 150;

const reducedMotion = window.matchMedia("(prefers-reduced-motion: reduce)");
/** @type {Set<() => void>} */
const endings = new Set();
let isSkipping = false;

/**
 * Resolve after `ms` milliseconds at the player's pace, or at once with reduced motion or while animations are skipped.
 * @param {number} ms
 * @returns {Promise<void>}
 */
export function pauseForEye(ms) {
  const shown = ms * findPace();
  if (reducedMotion.matches || isSkipping || !shown) return Promise.resolve();
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

/** Whether the page pauses for the eye, so that there is something to skip. */
export function isPausing() {
  return endings.size > 0;
}

/** Show the animations from now on: a new action has begun. */
export function startAnimations() {
  isSkipping = false;
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
  for (const end of [...endings]) end();
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

/** Whether nothing moves now. */
export function isStill() {
  return reducedMotion.matches || isSkipping || !findPace();
}
