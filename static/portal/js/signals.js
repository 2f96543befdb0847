// @ts-check
/**
 * What happens at a table, as events of the document. A table in a frame tells them to the page around it; on other
 * pages nothing listens.
 */

const PREFIX = "punto:";

/**
 * @param {string} name
 * @param {Record<string, unknown>} detail
 */
export function sendSignal(name, detail) {
  document.dispatchEvent(new CustomEvent(PREFIX + name, { detail }));
}

/**
 * @param {string} name
 * @param {(detail: any) => void} handle
 */
export function listenSignal(name, handle) {
  document.addEventListener(PREFIX + name, (event) => event instanceof CustomEvent && handle(event.detail));
}
