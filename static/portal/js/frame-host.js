// @ts-check
/**
 * Carries messages to and from the page around a frame. Each is sent to the exact origin of that page, and accepted from
 * that page's window and origin alone. Which messages there are: docs/embedding.md, "Messages", and frame.js.
 */

const SOURCE = "punto";
const VERSION = 1;

export class FrameHost extends EventTarget {
  #origins;
  #page;
  #parent;
  #origin;
  /** @type {Record<string, unknown>[]} */
  #waiting = [];

  /**
   * @param {string[]} origins  of the pages that may be around this one
   * @param {Window} page  the frame's own window
   */
  constructor(origins, page) {
    super();
    this.#origins = origins;
    this.#page = page;
    this.#parent = page.parent === page ? null : page.parent;
    this.#origin = this.#findOrigin();
    page.addEventListener("message", (event) => this.#receive(event));
  }

  /**
   * Send a message, as soon as the host page's origin is known.
   * @param {string} type
   * @param {Record<string, unknown>} [members]
   */
  tell(type, members = {}) {
    const message = { source: SOURCE, version: VERSION, type, ...members };
    if (this.#origin) this.#parent?.postMessage(message, this.#origin);
    else if (this.#parent) this.#waiting.push(message);
  }

  /** Stop sending and receiving, since another page of the frame takes over. */
  leave() {
    this.#parent = null;
  }

  /**
   * Return the origin of the host page. If the browser does not tell it, it is an empty text until the first message.
   */
  #findOrigin() {
    if (this.#origins.length === 1) return this.#origins[0]; // the only one that may frame this page
    const nearest = this.#page.location.ancestorOrigins?.[0] ?? "";
    return this.#origins.includes(nearest) ? nearest : "";
  }

  /** @param {MessageEvent} event */
  #receive({ source, origin, data }) {
    if (!this.#parent || source !== this.#parent || !this.#origins.includes(origin)) return;
    if (this.#origin && origin !== this.#origin) return;
    if (typeof data !== "object" || data === null || data.target !== SOURCE || typeof data.type !== "string") return;
    this.#origin = origin;
    for (const message of this.#waiting.splice(0)) this.#parent.postMessage(message, origin);
    this.dispatchEvent(new CustomEvent("order", { detail: data }));
  }
}
