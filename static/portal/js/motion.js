/** Time for the eye: nothing waits where the reader has asked for reduced motion. */

const still = window.matchMedia("(prefers-reduced-motion: reduce)");

/** Resolve after `ms` milliseconds, or at once with reduced motion. */
export function beat(ms) {
  return still.matches ? Promise.resolve() : new Promise((resolve) => { setTimeout(resolve, ms); });
}

/** Resolve after `ms` milliseconds in any case: for the network, not for the eye. */
export function wait(ms) {
  return new Promise((resolve) => { setTimeout(resolve, ms); });
}

/** Let an element appear `ms` milliseconds from now, or at once with reduced motion. */
export function appear(element, ms) {
  if (!still.matches) element.animate([{ opacity: 0 }, { opacity: 1 }], { delay: ms, duration: 150, fill: "backwards" });
}
