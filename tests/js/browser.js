/** A stand-in for the browser of scripts that send and store: storage, timers, the network. The test is the server. */

import { openPage } from "./support.js";

openPage("apps/portal/words.py", "apps/portal/script_words.py");
if (!("onLine" in navigator)) Object.defineProperty(navigator, "onLine", { value: true });

/** @typedef {{ url: string, headers: Record<string, string>, form: Record<string, string>, body: string }} Asked */

class Storage {
  items = new Map();
  getItem(/** @type {string} */ name) { return this.items.get(name) ?? null; }
  setItem(/** @type {string} */ name, /** @type {string} */ text) { this.items.set(name, text); }
  removeItem(/** @type {string} */ name) { this.items.delete(name); }
}

/** An element with the elements in it by their selectors. */
export class FakeElement extends EventTarget {
  dataset = {};
  textContent = "";
  hidden = false;
  disabled = false;
  value = "csrf";
  /** @type {Record<string, FakeElement>} */
  parts = {};
  querySelector = (/** @type {string} */ selector) => this.parts[selector];
}

/** A socket whose other end is the test. */
export class FakeSocket extends EventTarget {
  static OPEN = 1;
  readyState = 0;
  /** @type {Record<string, any>[]} */
  sent = [];

  /** @param {string} url */
  constructor(url) {
    super();
    this.url = url;
    browser.sockets.push(this);
  }

  send(/** @type {string} */ text) { this.sent.push(JSON.parse(text)); }

  close(code = 1006) {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.dispatchEvent(Object.assign(new Event("close"), { code }));
  }

  /** Accept the connection. */
  open() {
    this.readyState = 1;
    this.dispatchEvent(new Event("open"));
  }

  /** @param {Record<string, any>} message  from the server */
  say(message) {
    this.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify(message) }));
  }
}

/** The browser of the test that runs. Its timers run by `wait` alone. */
class Browser {
  window = Object.assign(new EventTarget(), {
    localStorage: new Storage(), sessionStorage: new Storage(),
    location: { pathname: "/play/", search: "", assign: (/** @type {string} */ to) => this.visited.push(to), replace: (/** @type {string} */ to) => this.visited.push(to) },
  });
  /** The addresses of the pages that were opened. @type {string[]} */
  visited = [];
  /** @type {FakeSocket[]} */
  sockets = [];
  /** The requests to the server. @type {Asked[]} */
  asked = [];
  /**
   * The server's answer; without one the network fails.
   * @type {(asked: Asked) => Response | Promise<Response> | null}
   */
  answer = () => null;
  /** @type {Map<number, { at: number, act: () => void }>} */
  #timers = new Map();
  #now = 0;
  #lastTimer = 0;

  open() {
    const { window } = this;
    const fetch = async (/** @type {string} */ url, /** @type {any} */ { headers = {}, body = "" } = {}) => {
      const form = body instanceof FormData ? Object.fromEntries(/** @type {[string, string][]} */ ([...body])) : {};
      const asked = { url, headers, form, body: String(body) };
      this.asked.push(asked);
      const answer = await this.answer(asked);
      if (!answer) throw new TypeError("the network fails");
      return answer;
    };
    const setTimeout = (/** @type {() => void} */ act, ms = 0) => {
      this.#lastTimer += 1;
      this.#timers.set(this.#lastTimer, { at: this.#now + ms, act });
      return this.#lastTimer;
    };
    const clearTimeout = (/** @type {number} */ timer) => this.#timers.delete(timer);
    const { localStorage, sessionStorage } = window;
    const globals = { window, localStorage, sessionStorage, fetch, setTimeout, clearTimeout, WebSocket: FakeSocket };
    for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    return this;
  }

  /** The socket that was opened last. */
  get socket() {
    return this.sockets[this.sockets.length - 1];
  }

  /**
   * Let the time pass, and let everything happen that is due by then.
   * @param {number} [ms]
   */
  async wait(ms = 0) {
    const end = this.#now + ms;
    for (;;) {
      await new Promise((resolve) => { setImmediate(resolve); });
      const [next] = [...this.#timers].filter(([, { at }]) => at <= end).sort(([, one], [, other]) => one.at - other.at);
      if (!next) break;
      this.#timers.delete(next[0]);
      this.#now = next[1].at;
      next[1].act();
    }
    this.#now = end;
  }
}

/** @type {Browser} */
export let browser;

/** Open a browser that has stored nothing. */
export function openBrowser() {
  browser = new Browser().open();
  return browser;
}

/**
 * Return an answer of the server.
 * @param {unknown} body  JSON
 * @param {number} [status]
 */
export function answerJson(body, status = 200) {
  return new Response(JSON.stringify(body), { status });
}

/**
 * Return the identity of a page's player.
 * @param {string} player
 * @param {{ token?: string }} [options]  of a launch link
 */
export async function createIdentity(player, { token = "" } = {}) {
  const { PlayerIdentity } = await import("../../static/portal/js/player-identity.js");
  return new PlayerIdentity({ player, token, csrfToken: "csrf", sessionUrl: "/session" });
}

openBrowser();
