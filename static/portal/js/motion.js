// @ts-check
/** Animations and their pauses. With reduced motion there are none. */

const SLIDE_MS = 240;
const APPEAR_MS = 150;

const reducedMotion = window.matchMedia("(prefers-reduced-motion: reduce)");

/**
 * Resolve after `ms` milliseconds, or at once with reduced motion.
 * @param {number} ms
 */
export function pauseForEye(ms) {
  return reducedMotion.matches ? Promise.resolve() : wait(ms);
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
  if (reducedMotion.matches) return;
  elements.forEach((element, index) => {
    const distance = before[index] - element.getBoundingClientRect().left;
    if (!distance || !element.isConnected) return;
    element.animate({ translate: [`${distance}px 0`, "0 0"] }, { duration: SLIDE_MS, easing: "ease-out" });
  });
}

/**
 * Let an element appear `ms` milliseconds from now, or at once with reduced motion.
 * @param {Element} element
 * @param {number} ms
 */
export function appear(element, ms) {
  if (reducedMotion.matches) return;
  element.animate([{ opacity: 0 }, { opacity: 1 }], { delay: ms, duration: APPEAR_MS, fill: "backwards" });
}
