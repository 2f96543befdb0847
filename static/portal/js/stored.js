// @ts-check
/** Values that the browser remembers for the player. Some browsers store nothing for this page. */

/** @typedef {"localStorage" | "sessionStorage"} Storing  for all windows of the browser, or for this tab alone */

/**
 * Return what is stored under the name, or null.
 * @param {string} name
 * @param {Storing} [storing]
 */
export function readStored(name, storing = "localStorage") {
  try {
    return globalThis[storing].getItem(name);
  } catch {
    return null;
  }
}

/**
 * @param {string} name
 * @param {string} text
 * @param {Storing} [storing]
 */
export function writeStored(name, text, storing = "localStorage") {
  try {
    globalThis[storing].setItem(name, text);
  } catch {
    // The page works without it.
  }
}

/**
 * @param {string} name
 * @param {Storing} [storing]
 */
export function clearStored(name, storing = "localStorage") {
  try {
    globalThis[storing].removeItem(name);
  } catch {
    // There is nothing to remove.
  }
}
