// @ts-check
/** Time for the eye: nothing waits where the reader has asked for reduced motion. */

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
 * Resolve after `ms` milliseconds in any case: for the network, not for the eye.
 * @param {number} ms
 * @returns {Promise<void>}
 */
export function wait(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/**
 * Make a change to the page, and let the elements that it moved sideways slide from where they were.
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
