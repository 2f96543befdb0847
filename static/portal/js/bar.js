// @ts-check
/** The bar on top of each page: its links give way to the menu where they do not fit beside the balance. */

const brand = document.querySelector(".bar .brand");
const side = document.querySelector(".bar-side");

function fitBar() {
  if (!(brand instanceof HTMLElement && side instanceof HTMLElement)) return;
  const bar = brand.closest(".bar");
  bar?.classList.remove("compact");
  bar?.classList.toggle("compact", side.offsetTop >= brand.offsetTop + brand.offsetHeight);
}

/** Follow the width of the window, and that of the balance, whose digits become more. */
export function followBar() {
  if (!side) return;
  window.addEventListener("resize", fitBar);
  new ResizeObserver(fitBar).observe(side);
  fitBar();
}
