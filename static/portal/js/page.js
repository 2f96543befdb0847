/** What every page does: menus that close, copy buttons, times in the reader's own zone, the balance as it is now. */

import "./cards.js";
import { balanceShow } from "./balance.js";
import { watch } from "./player-watch.js";
import { RefillOffer } from "./refill.js";

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    event.preventDefault(); // a table has a use for the key too
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

for (const time of document.querySelectorAll("time[data-local]")) {
  time.title = `${time.textContent} UTC`;
  time.textContent = new Date(time.dateTime).toLocaleString([], { dateStyle: "medium", timeStyle: "medium" });
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim());
    button.textContent = "Copied";
  });
}

if (watch) {
  const refill = document.getElementById("refill");
  const offer = refill && new RefillOffer(refill, watch);
  watch.addEventListener("state", ({ detail }) => {
    balanceShow(detail.balance);
    offer?.show(detail.refill);
  });
  watch.start();
}
