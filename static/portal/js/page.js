/** What every page does: menus that close, copy buttons, times in the reader's own zone. */

import "./cards.js";

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
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
