// @ts-check
/**
 * Small helps on every page of the back office: a button that copies an id or a hash, and "/" for the search. Without
 * script the pages have all their text and links.
 */

const SHOWN_MS = 1500;

/** Add a button to every text that people copy. */
function addCopyButtons() {
  for (const text of document.querySelectorAll("code.hash, code.copied-id")) {
    if (!text.textContent?.trim() || text.textContent.trim() === "-") continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "office-copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy ${text.textContent.trim().slice(0, 12)}`);
    button.addEventListener("click", () => copyText(button, text.textContent?.trim() ?? ""));
    text.after(" ", button);
  }
}

/**
 * Copy a text, and say so on its button.
 * @param {HTMLButtonElement} button
 * @param {string} text
 */
async function copyText(button, text) {
  let said = "Copied";
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    said = "Not allowed";
  }
  button.textContent = said;
  setTimeout(() => { button.textContent = "Copy"; }, SHOWN_MS);
}

/**
 * Open the search with "/", unless somebody writes.
 * @param {KeyboardEvent} event
 */
function openSearch(event) {
  const at = event.target;
  const writes = at instanceof HTMLElement && (at.isContentEditable || at.matches("input, textarea, select"));
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || writes) return;
  event.preventDefault();
  window.dispatchEvent(new CustomEvent("opencommand"));
}

addCopyButtons();
window.addEventListener("keydown", openSearch);
