// @ts-check
/** What the browser remembers for the player. A browser that stores nothing for this page remembers nothing. */

/**
 * Return what is stored under the name, or null.
 * @param {string} name
 */
export function readStored(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {string} text
 */
export function writeStored(name, text) {
  try {
    localStorage.setItem(name, text);
  } catch {
    // The page plays on without it.
  }
}
