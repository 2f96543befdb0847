/** Time for the eye: nothing waits where the reader has asked for reduced motion. */

const SLIDE_MS = 240;

const still = window.matchMedia("(prefers-reduced-motion: reduce)");

/** Resolve after `ms` milliseconds, or at once with reduced motion. */
export function beat(ms) {
  return still.matches ? Promise.resolve() : new Promise((resolve) => { setTimeout(resolve, ms); });
}

/** Resolve after `ms` milliseconds in any case: for the network, not for the eye. */
export function wait(ms) {
  return new Promise((resolve) => { setTimeout(resolve, ms); });
}

/** Make a change to the page, and let the elements that it moved sideways slide from where they were. */
export function slide(elements, change) {
  const before = elements.map((element) => element.getBoundingClientRect().left);
  change();
  if (still.matches) return;
  elements.forEach((element, index) => {
    const by = before[index] - element.getBoundingClientRect().left;
    if (by && element.isConnected) element.animate({ translate: [`${by}px 0`, "0 0"] }, { duration: SLIDE_MS, easing: "ease-out" });
  });
}

/** Let an element appear `ms` milliseconds from now, or at once with reduced motion. */
export function appear(element, ms) {
  if (!still.matches) element.animate([{ opacity: 0 }, { opacity: 1 }], { delay: ms, duration: 150, fill: "backwards" });
}
