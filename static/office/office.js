// @ts-check
/**
 * Conveniences of every page of the back office: a button that copies an id or a hash, "/" for the search, the choice
 * of a list's columns, one box that selects all rows, keys for what the theme has for the mouse alone, and a form that
 * shows its first refused field and keeps what was typed if the session is over. Without scripts the pages have all
 * their text, links and columns.
 */

const SHOWN_MS = 1500;
/**
 * The prefix of a list's key in the browser's storage, which remembers the hidden columns. The list's address follows.
 */
const COLUMNS = "punto-columns:";
/** What the theme has for the mouse alone. */
const MOUSE_ONLY = "a[x-on\\:click]:not([href]), [x-on\\:click^=sidebar], [x-on\\:click^=openUserLinks]";
/** From this age of the page on, its session may be over by the time that its form is sent. */
const FRESH_MS = 60_000;
const ASK_TIMEOUT_MS = 5000;
const loadedAt = Date.now();
/** Whether a form waits for the answer about its session. */
let isAsking = false;
/** Whether the form that is being sent has its answer. */
let isAnswered = false;

/** Add a button to every text that people copy, and to the field of a secret that is shown once. */
function addCopyButtons() {
  for (const element of document.querySelectorAll("code.hash, code.copied-id, input.office-secret")) {
    const isSecret = element instanceof HTMLInputElement;
    let text = (isSecret ? element.value : element.textContent ?? "").trim();
    if (element.hasAttribute("data-address")) text = element.textContent = new URL(text, location.href).href;
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

/**
 * Let the keyboard reach what the theme has for the mouse alone: the menus, the themes, and the filters of a list, where
 * the focus moves into the filters and comes back from them.
 */
function addKeyboard() {
  for (const control of document.querySelectorAll(MOUSE_ONLY)) {
    if (!(control instanceof HTMLElement)) continue;
    control.tabIndex = 0;
    control.setAttribute("role", "button");
    if (control.matches("[x-on\\:click*=sidebar]")) {
      control.setAttribute("aria-label", "Menu");
      control.removeAttribute("aria-hidden");
    }
    control.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      control.click();
    });
  }
  const filters = document.querySelector("#changelist-filter");
  const opener = document.querySelector("[x-on\\:click='filterOpen = true']");
  if (!(filters instanceof HTMLElement) || !(opener instanceof HTMLElement)) return;
  opener.addEventListener("click", () => {
    // The theme shows the filters in the frame after this event.
    requestAnimationFrame(() => requestAnimationFrame(() => {
      const fields = [...filters.querySelectorAll("a[href], input, select, button")];
      const first = fields.find((field) => field.checkVisibility());
      if (first instanceof HTMLElement) first.focus();
    }));
  });
  filters.addEventListener("keydown", (event) => { if (event.key === "Escape") opener.focus(); });
}

/** Focus the first field that was refused: it may be far below the top of the page, where nothing tells of it. */
function focusRefused() {
  const field = document.querySelector("form [aria-invalid=true]");
  if (!(field instanceof HTMLElement)) return;
  field.focus({ preventScroll: true });
  field.scrollIntoView({ block: "center" });
}

/**
 * Ask for the session before an old page's form is sent. If it is over, the form stays with what was typed, and can be
 * sent after a log-in in another tab: a log-in in this one would lose it. Nothing typed leaves the page meanwhile.
 * @param {SubmitEvent} event
 */
async function sendInSession(event) {
  const { target: form, submitter } = event;
  const isMeant = form instanceof HTMLFormElement && form.matches("form.office-form[method=post]");
  if (!isMeant || isAnswered || Date.now() - loadedAt < FRESH_MS) return;
  event.preventDefault();
  if (isAsking) return;
  isAsking = true;
  const fault = await takeSession(form);
  isAsking = false;
  form.querySelector(".office-session")?.remove();
  if (fault) {
    form.prepend(fault);
    fault.scrollIntoView({ block: "nearest" });
    return;
  }
  isAnswered = true;
  form.requestSubmit(submitter);
  isAnswered = false;
}

/**
 * Give the form the token of the present session. Return what prevents the sending, or null.
 * @param {HTMLFormElement} form
 */
async function takeSession(form) {
  const meta = document.querySelector("meta[name=office-session]");
  const token = form.querySelector("[name=csrfmiddlewaretoken]");
  if (!(meta instanceof HTMLMetaElement) || !(token instanceof HTMLInputElement)) return null;
  const [url, logIn] = [meta.content, meta.dataset.logIn ?? ""];
  try {
    const answer = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(ASK_TIMEOUT_MS) });
    if (answer.type === "opaqueredirect") return createSessionFault("Your session in the back office is over", logIn);
    if (!answer.ok && answer.status !== 403) return null;
    const { user = "", csrf = "" } = answer.ok ? await answer.json() : {};
    if (user !== meta.dataset.user) return createSessionFault("Another log-in uses the back office in this browser", logIn);
    token.value = csrf; // a log-in has changed it
  } catch {
    // Without an answer the form is sent as it is.
  }
  return null;
}

/**
 * @param {string} why
 * @param {string} logIn  the address of the log-in
 */
function createSessionFault(why, logIn) {
  const fault = document.createElement("div");
  fault.className = "office-error office-session";
  fault.setAttribute("role", "alert");
  const link = document.createElement("a");
  link.href = logIn;
  link.target = "_blank";
  link.rel = "noopener";
  link.textContent = "Sign in";
  fault.append(`Nothing was sent. ${why}. `, link, " in another tab, then send this form again.");
  return fault;
}

clearIconNames();
addCopyButtons();
addColumnChoice();
addChooseAll();
focusRefused();
addKeyboard();
window.addEventListener("keydown", openSearch);
document.addEventListener("submit", sendInSession);
