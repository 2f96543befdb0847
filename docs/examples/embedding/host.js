// @ts-check
/** A page of a casino with a table of Punto in a frame. docs/embedding.md describes each message. */

const frame = /** @type {HTMLIFrameElement} */ (document.getElementById("table"));
const balance = /** @type {HTMLElement} */ (document.getElementById("balance"));
const state = /** @type {HTMLElement} */ (document.getElementById("state"));
const list = /** @type {HTMLElement} */ (document.getElementById("messages"));
let origin = "";

/** Ask our own server for a new launch, and show it. It never gives the page its API key. */
async function openTable() {
  const response = await fetch(`launch${window.location.search}`, { method: "POST" });
  const { launch_url: url } = await response.json();
  origin = new URL(url).origin;
  frame.src = url;
}

/**
 * @param {string} type
 * @param {Record<string, unknown>} [members]
 */
function sendOrder(type, members = {}) {
  frame.contentWindow?.postMessage({ target: "punto", type, ...members }, origin);
}

/** @param {MessageEvent} event */
function receiveMessage({ source, origin: sender, data }) {
  if (source !== frame.contentWindow || sender !== origin || data?.source !== "punto") return;
  const line = document.createElement("li");
  line.textContent = JSON.stringify(data);
  list.append(line);
  if (data.balance !== undefined) balance.textContent = `${data.balance} ${data.currency}`;
  if (data.type === "resize") frame.style.height = `${data.height}px`;
  if (data.type === "ready") state.textContent = "ready";
  if (data.type === "needs_money" && data.asked) state.textContent = "the cashier opens here";
  if (data.type === "session_ended") {
    state.textContent = `over: ${data.reason}`;
    if (data.reason === "launch_needed") openTable(); // the player reloaded the frame
  }
}

window.addEventListener("message", receiveMessage);
for (const button of document.querySelectorAll("button")) {
  const order = button.dataset.order ?? "";
  button.addEventListener("click", () => sendOrder(order, order === "set_language" ? { language: "de" } : {}));
}
openTable();
