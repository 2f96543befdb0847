// @ts-check
/**
 * Finds and creates elements. A table's elements are named by `data-part` and are found within the table's own element,
 * never by id in the whole page, since a page may have several tables.
 */

/** What keys act on while it has the focus. */
export const CONTROLS = "button, a, summary, input, select, textarea, [tabindex]:not([tabindex='-1'])";

/**
 * Return the first element of the selector. Throws if there is none, or if it has another type.
 * @template {Element} Found
 * @param {ParentNode} root
 * @param {string} selector
 * @param {new () => Found} kind
 * @returns {Found}
 */
export function findElement(root, selector, kind) {
  const found = root.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`The page has no ${kind.name} at ${selector}.`);
  return found;
}

/**
 * Return the part with this name.
 * @param {ParentNode} root
 * @param {string} name
 */
export function findPart(root, name) {
  return findElement(root, `[data-part="${name}"]`, HTMLElement);
}

/**
 * Return the button with this name.
 * @param {ParentNode} root
 * @param {string} name
 */
export function findButton(root, name) {
  return findElement(root, `[data-part="${name}"]`, HTMLButtonElement);
}

/**
 * Show what the output has now again as soon as a field is changed: a result belongs to the fields that gave it.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} output
 */
export function clearOnInput(form, output) {
  const empty = [...output.childNodes];
  form.addEventListener("input", () => output.replaceChildren(...empty));
}

/**
 * Connect the radio buttons of a choice for the whole page. Each of several tables may have such buttons. They are
 * disabled until this call.
 * @param {HTMLElement} root
 * @param {string} name  of the buttons
 * @param {{ read: () => string, choose: (value: string) => void }} choice
 */
export function connectChoice(root, name, { read, choose }) {
  const selector = `input[name="${name}"]`;
  const show = () => {
    for (const input of document.querySelectorAll(selector)) {
      if (input instanceof HTMLInputElement) input.checked = input.value === read();
    }
  };
  for (const input of root.querySelectorAll(selector)) {
    if (!(input instanceof HTMLInputElement)) continue;
    input.addEventListener("change", () => {
      choose(input.value);
      show();
    });
    input.closest("fieldset")?.removeAttribute("disabled");
  }
  show();
}

/**
 * Return a new element.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [className]
 * @param {string} [text]
 */
export function createElement(tag, className = "", text = "") {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

/**
 * Return the JSON of a script element.
 * @param {string} id
 */
export function readPageData(id) {
  return JSON.parse(findElement(document, `#${id}`, HTMLScriptElement).text);
}
