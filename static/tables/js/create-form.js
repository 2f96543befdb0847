// @ts-check
/** The form for a player's own table: the options of the chosen game, as the game lists them. */

import { createElement, findElement } from "../../portal/js/dom.js";
import { describeRefusal, Refusal } from "../../portal/js/refusals.js";
import { tell } from "../../portal/js/words.js";
import { nameRule, titleRule } from "./room-facts.js";

/**
 * @typedef {import("./table-model.js").Json} Json
 *
 * @typedef {object} CreateOptions
 * @property {Record<string, Json>} games
 * @property {(room: Json) => Promise<Json>} create
 * @property {(id: string) => void} onCreated
 */

export class CreateForm {
  #form;
  #options;
  #game;
  #rules;
  #problem;

  /**
   * @param {HTMLFormElement} form
   * @param {CreateOptions} options
   */
  constructor(form, options) {
    this.#form = form;
    this.#options = options;
    this.#game = findElement(form, "[name=gameType]", HTMLSelectElement);
    this.#rules = findElement(form, "#create-rules", HTMLElement);
    this.#problem = findElement(form, "#create-problem", HTMLElement);
    this.#game.addEventListener("change", () => this.#showGame());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    this.#showGame();
  }

  #showGame() {
    const game = this.#options.games[this.#game.value];
    const seats = findElement(this.#form, "[name=seats]", HTMLInputElement);
    seats.max = seats.value = String(game.seatsMax);
    findElement(this.#form, "#create-turn-field", HTMLElement).hidden = game.model !== "turn_based";
    this.#rules.replaceChildren(...Object.entries(game.rules).map(([name, value]) => createField(name, value, game.choices[name])));
  }

  async #send() {
    const button = findElement(this.#form, "button[type=submit]", HTMLButtonElement);
    button.disabled = true;
    this.#problem.textContent = "";
    try {
      const { id } = await this.#options.create(this.#readRoom());
      this.#options.onCreated(id);
    } catch (error) {
      this.#problem.textContent = describeFault(error);
    } finally {
      button.disabled = false;
    }
  }

  #readRoom() {
    const game = this.#options.games[this.#game.value];
    const { elements } = this.#form;
    /** @param {string} name */
    const read = (name) => {
      const field = elements.namedItem(name);
      return field instanceof HTMLInputElement ? field : null;
    };
    const rules = Object.fromEntries(Object.entries(game.rules).map(([name]) => [name, this.#readRule(name, game.choices[name])]));
    return {
      gameType: this.#game.value,
      points: true,
      name: read("name")?.value.trim(),
      seats: Number(read("seats")?.value),
      windowSeconds: Number(read("windowSeconds")?.value),
      turnSeconds: game.model === "turn_based" ? Number(read("turnSeconds")?.value) : undefined,
      private: read("private")?.checked,
      rules,
    };
  }

  /**
   * @param {string} name
   * @param {unknown[]} [choices]
   */
  #readRule(name, choices) {
    const field = this.#form.elements.namedItem(`rule-${name}`);
    if (field instanceof HTMLInputElement) return field.checked;
    if (!(field instanceof HTMLSelectElement) || !choices) return undefined;
    return choices[field.selectedIndex];
  }
}

/** @param {unknown} error */
function describeFault(error) {
  if (!(error instanceof Refusal)) return describeRefusal("SERVICE_UNAVAILABLE");
  return error.status === 400 ? tell("refused-form") : describeRefusal(error.code);
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {unknown[]} [choices]
 */
function createField(name, value, choices) {
  const label = createElement("label", "", titleRule(name));
  const id = `rule-${name}`;
  label.htmlFor = id;
  if (!choices) {
    const field = createElement("div", "field checkbox");
    const box = createElement("input");
    Object.assign(box, { type: "checkbox", id, name: id, checked: value === true });
    field.append(box, label);
    return field;
  }
  const field = createElement("div", "field");
  const select = createElement("select");
  Object.assign(select, { id, name: id });
  for (const choice of choices) {
    const option = createElement("option", "", nameRule(choice));
    option.value = String(choice);
    option.selected = choice === value;
    select.append(option);
  }
  field.append(label, select);
  return field;
}
