// @ts-check
/**
 * Finding and making elements. The elements of a table are named by `data-part` and are looked up below the table's own
 * element, never by id in the whole page: a page may hold several tables.
 */

/**
 * Return the element that the selector finds first. Throws where the page has none, or one of another kind.
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
 * Return the part of that name.
 * @param {ParentNode} root
 * @param {string} name
 */
export function findPart(root, name) {
  return findElement(root, `[data-part="${name}"]`, HTMLElement);
}

/**
 * Return the button of that name.
 * @param {ParentNode} root
 * @param {string} name
 */
export function findButton(root, name) {
  return findElement(root, `[data-part="${name}"]`, HTMLButtonElement);
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
 * Return the JSON that a script element of the page holds.
 * @param {string} id
 */
export function readPageData(id) {
  return JSON.parse(findElement(document, `#${id}`, HTMLScriptElement).text);
}
