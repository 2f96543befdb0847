// @ts-check
/**
 * Conveniences of every page of the back office: a button that copies an id or a hash, "/" for the search, the choice
 * of a list's columns, and one box that selects all rows. Without scripts the pages have all their text, links and
 * columns.
 */

const SHOWN_MS = 1500;
/**
 * The prefix of a list's key in the browser's storage, which remembers the hidden columns. The list's address follows.
 */
const COLUMNS = "punto-columns:";

/** Add a button to every text that people copy, and to the field of a secret that is shown once. */
function addCopyButtons() {
  for (const element of document.querySelectorAll("code.hash, code.copied-id, input.office-secret")) {
    const isSecret = element instanceof HTMLInputElement;
    const text = (isSecret ? element.value : element.textContent ?? "").trim();
    if (!text || text === "-") continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "office-copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy ${isSecret ? "it" : text.slice(0, 12)}`);
    button.addEventListener("click", () => copyText(button, text));
    element.after(" ", button);
  }
}

/**
 * Copy a text, and confirm it on the button.
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
 * Open the search with "/", unless a field has the focus. On a list with its own search the theme uses the key for that
 * one.
 * @param {KeyboardEvent} event
 */
function openSearch(event) {
  const at = event.target;
  const writes = at instanceof HTMLElement && (at.isContentEditable || at.matches("input, textarea, select"));
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || writes) return;
  if (document.querySelector("#searchbar")) return;
  event.preventDefault();
  window.dispatchEvent(new CustomEvent("opencommand"));
  // The theme shows the field at the next frame and moves the focus 20 ms later; until then letters would be lost.
  const field = document.querySelector("#search-input-command");
  const shade = field?.closest("[x-show]");
  if (!(field instanceof HTMLElement) || !(shade instanceof HTMLElement)) return;
  shade.style.removeProperty("display");
  field.focus();
}

/** Let people choose the columns of a list. The browser remembers what it hides, by the columns' names. */
function addColumnChoice() {
  const table = document.querySelector("table#result_list");
  const heads = [...(table?.querySelectorAll("thead th") ?? [])];
  if (!table || heads.length < 3) return;
  const choice = document.createElement("details");
  choice.className = "office-raw office-columns";
  const summary = document.createElement("summary");
  summary.textContent = "Columns";
  const list = document.createElement("ul");
  choice.append(summary, list);
  const key = COLUMNS + location.pathname;
  const hidden = new Set(readHidden(key));
  // The first column has the link to the row, so it cannot be hidden.
  for (const [index, head] of heads.entries()) {
    const name = head.querySelector(".text")?.textContent?.trim() ?? "";
    if (index === 0 || !name) continue;
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = !hidden.has(name);
    box.addEventListener("change", () => {
      if (box.checked) hidden.delete(name);
      else hidden.add(name);
      writeHidden(key, [...hidden]);
      showColumn(table, index, box.checked);
    });
    const label = document.createElement("label");
    label.append(box, ` ${name}`);
    const item = document.createElement("li");
    item.append(label);
    list.append(item);
    showColumn(table, index, box.checked);
  }
  document.querySelector("#changelist-form")?.before(choice);
}

/**
 * Show or hide a column.
 * @param {Element} table
 * @param {number} index
 * @param {boolean} isShown
 */
function showColumn(table, index, isShown) {
  for (const row of table.querySelectorAll("tr")) row.children[index]?.classList.toggle("office-hidden", !isShown);
}

/**
 * Read the names of the columns that a list hides.
 * @param {string} key
 * @returns {string[]}
 */
function readHidden(key) {
  try {
    const names = JSON.parse(localStorage.getItem(key) ?? "[]");
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}

/**
 * Remember the names of the columns that a list hides. If the browser stores nothing, the next page shows them again.
 * @param {string} key
 * @param {string[]} names
 */
function writeHidden(key, names) {
  try {
    if (names.length) localStorage.setItem(key, JSON.stringify(names));
    else localStorage.removeItem(key);
  } catch {
    // No storage: nothing is remembered.
  }
}

/** Add a box that selects all rows of a form for several rows. */
function addChooseAll() {
  const boxes = [...document.querySelectorAll("form[data-choose-all] input[type=checkbox][name=rows]")]
    .filter((box) => box instanceof HTMLInputElement);
  const group = boxes[0]?.closest("fieldset");
  if (!group || boxes.length < 2) return;
  const all = document.createElement("input");
  all.type = "checkbox";
  all.addEventListener("change", () => { for (const box of boxes) box.checked = all.checked; });
  group.addEventListener("change", () => { all.checked = boxes.every((box) => box.checked); });
  const label = document.createElement("label");
  label.className = "office-all";
  label.append(all, ` All ${boxes.length}`);
  group.querySelector("legend")?.after(label);
}

/** Hide the names of icons from screen readers, since these words are only for the icon font. */
function clearIconNames() {
  for (const icon of document.querySelectorAll(".material-symbols-outlined")) {
    const named = icon.closest("a, button, label");
    if (named?.textContent?.trim() !== icon.textContent?.trim()) icon.setAttribute("aria-hidden", "true");
  }
}

clearIconNames();
addCopyButtons();
addColumnChoice();
addChooseAll();
window.addEventListener("keydown", openSearch);
