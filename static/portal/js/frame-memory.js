// @ts-check
/**
 * A table in a frame has no cookie, so its requests carry the session's token. Many browsers refuse storage to a frame,
 * so it keeps its data in memory alone.
 */

import { frameData } from "./frame-session.js";

/** @implements {Storage} */
export class MemoryStorage {
  /** @type {Map<string, string>} */
  #items = new Map();

  get length() {
    return this.#items.size;
  }

  /** @param {string} name */
  getItem(name) {
    return this.#items.get(name) ?? null;
  }

  /**
   * @param {string} name
   * @param {string} value
   */
  setItem(name, value) {
    this.#items.set(name, String(value));
  }

  /** @param {string} name */
  removeItem(name) {
    this.#items.delete(name);
  }

  clear() {
    this.#items.clear();
  }

  /** @param {number} index */
  key(index) {
    return [...this.#items.keys()][index] ?? null;
  }

  list() {
    return [...this.#items];
  }
}

/** @type {Record<string, MemoryStorage>} */
const memories = { localStorage: new MemoryStorage(), sessionStorage: new MemoryStorage() };

/** Replace the storage, and add the token to `fetch`, for every script of the page. */
export function prepareMemory() {
  fillMemory(frameData.memory ?? "");
  for (const [name, value] of Object.entries(memories)) Object.defineProperty(window, name, { value, configurable: true });
  const send = window.fetch.bind(window);
  window.fetch = (input, init = {}) => send(input, { ...init, credentials: "omit", headers: createHeaders(input, init) });
}

/** Return what is stored as a text, for the page that replaces this one. */
export function readMemory() {
  return JSON.stringify(Object.fromEntries(Object.entries(memories).map(([name, memory]) => [name, memory.list()])));
}

/** @param {string} text  of `readMemory`; empty for none */
function fillMemory(text) {
  for (const [name, items] of Object.entries(JSON.parse(text || "{}"))) {
    for (const [key, value] of items) memories[name].setItem(key, value);
  }
}

/**
 * @param {RequestInfo | URL} input
 * @param {RequestInit} init
 */
function createHeaders(input, init) {
  const headers = new Headers(init.headers ?? (input instanceof Request ? input.headers : {}));
  const { origin } = new URL(input instanceof Request ? input.url : input, document.baseURI);
  if (frameData.token && origin === window.location.origin) {
    headers.set("Authorization", `Bearer ${frameData.token}`);
    headers.set("Accept-Language", document.documentElement.lang);
  }
  return headers;
}
