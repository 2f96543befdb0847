/** What both tables need of their page: its data, who it is, the first client seed, and a way to clear the felt. */

import { grouped } from "./money.js";

/** Return the JSON that the page came with. */
export function pageData() {
  const script = document.getElementById("table-data");
  return script ? JSON.parse(script.textContent) : null;
}

/** Return the headers that say who plays: the launch link's token, or the form's proof of being ours. */
export function identityHeaders(form, data) {
  if (data.token) return { Authorization: `Bearer ${data.token}` };
  return { "X-CSRFToken": form.querySelector("[name=csrfmiddlewaretoken]").value };
}

/** Propose the first client seed: both server seeds are committed by now, so the house cannot answer to it. */
export async function clientSeedPropose(form, data) {
  if (!data.seedUrl) return;
  const seed = Array.from(crypto.getRandomValues(new Uint8Array(10)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const body = new FormData();
  body.append("csrfmiddlewaretoken", form.querySelector("[name=csrfmiddlewaretoken]").value);
  body.append("client_seed", seed);
  // Without an answer the pair keeps the seed that it has; the player may set another at any time.
  await fetch(data.seedUrl, { method: "POST", body }).catch(() => null);
}

/** Return a server's message as a sentence, without the field's name on the wire and with thousands apart. */
export function sentence(text) {
  const words = text.replace(/^[A-Za-z_]+: /, "").replace(/(?<![-\w.])\d{4,}(\.\d+)?(?![-\w])/g, grouped);
  const start = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}

/** Call `dismiss` when Esc is pressed, or the felt beside its buttons; `isOnFelt` says which. */
export function dismissListen(felt, dismiss) {
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && !event.repeat) dismiss({ isOnFelt: false });
  });
  felt.addEventListener("click", ({ target }) => {
    if (!target.closest("button, a, input")) dismiss({ isOnFelt: true });
  });
}

/** Have a button switch something on and off, and show which of them it is. */
export function switchShow(button, isOn, set) {
  const show = () => button.setAttribute("aria-pressed", String(isOn()));
  button.addEventListener("click", () => {
    set(!isOn());
    show();
  });
  show();
}

/** Say something to screen readers; the same words twice are said twice. */
export function say(text) {
  const region = document.getElementById("said");
  region.textContent = region.textContent === text ? `${text} ` : text;
}

/** Show the outcome in the middle of the felt; `tone` is win, loss, push or nothing. */
export function verdict(title, { tone = "", note = "" } = {}) {
  const strong = document.createElement("strong");
  strong.textContent = title;
  const small = document.createElement("small");
  small.textContent = note;
  const box = document.getElementById("verdict");
  box.className = `verdict ${tone}`;
  box.replaceChildren(strong, ...(note ? [small] : []));
}

/** Return the tone of what came back for what was staked. */
export function toneOf(staked, back) {
  if (back > staked) return "win";
  return back < staked ? "loss" : "push";
}
