// @ts-check
/** The seeds of the next round, and the button that changes the client seed. */

import { findButton, findElement, findPart } from "../dom.js";
import { createRandomHex } from "../random.js";
import { describeRefusal } from "../refusals.js";

/** @typedef {{ commitment: string, nextCommitment: string, clientSeed: string, nonce: number }} Seeds */

const CLIENT_SEED_BYTES = 8;

export class SeedBox {
  #options;
  #box;
  #button;
  #problem;

  /**
   * @param {HTMLElement} body
   * @param {{ url: string, onChange: () => void }} options
   */
  constructor(body, options) {
    this.#options = options;
    this.#box = findPart(body, "next-seeds");
    this.#button = findButton(body, "change-seed");
    this.#problem = findPart(body, "seed-problem");
    this.#button.addEventListener("click", () => this.change());
  }

  /** @param {Seeds | null} seeds  null for a visitor, who has none yet */
  show(seeds) {
    this.#box.hidden = !seeds;
    if (!seeds) return;
    findPart(this.#box, "next-commitment").textContent = seeds.commitment;
    findPart(this.#box, "next-client-seed").textContent = seeds.clientSeed;
    findPart(this.#box, "next-nonce").textContent = String(seeds.nonce);
  }

  /** Set a random client seed, which reveals the server seed of the rounds before. Resolves with whether it was set. */
  async change() {
    if (this.#button.ariaDisabled === "true") return false;
    this.#problem.textContent = "";
    this.#button.ariaDisabled = "true"; // and not `disabled`, which would take the focus away
    const body = new FormData();
    body.append("csrfmiddlewaretoken", findElement(document, "[name=csrfmiddlewaretoken]", HTMLInputElement).value);
    body.append("client_seed", createRandomHex(CLIENT_SEED_BYTES));
    const code = await postForm(this.#options.url, body);
    this.#button.ariaDisabled = "false";
    if (code) this.#problem.textContent = describeRefusal(code);
    else this.#options.onChange();
    return !code;
  }
}

/**
 * Return the code of the refusal, empty for success.
 * @param {string} url
 * @param {FormData} body
 * @returns {Promise<string>}
 */
async function postForm(url, body) {
  try {
    const response = await fetch(url, { method: "POST", body });
    if (response.ok && !response.redirected) return "";
    return response.redirected ? "AUTHENTICATION_FAILED" : (await response.json()).code;
  } catch {
    return "SERVICE_UNAVAILABLE";
  }
}
