// @ts-check
/**
 * Shows the page that deals rounds again when there is no network. It stores the files that `/offline/files` lists, and
 * nothing else: no page of a player, no balance and no other answer of the server. It fetches them without cookies, so
 * that none of them is personal.
 */

const CACHE = "punto-offline";
const PAGE = "/offline/";
const LIST = "/offline/files";
const FILES = "/static/";

/** This script's own scope; the page's types do not know it. */
const worker = /** @type {any} */ (globalThis);

/** Fetch all files anew, and only then replace the old ones. */
async function fillCache() {
  const { urls } = await (await fetch(LIST, { credentials: "omit", cache: "no-store" })).json();
  const answers = await Promise.all(urls.map(fetchFile));
  await caches.delete(CACHE);
  const cache = await caches.open(CACHE);
  await Promise.all(answers.map(([url, answer]) => cache.put(url, answer)));
}

/**
 * @param {string} url
 * @returns {Promise<[string, Response]>}
 */
async function fetchFile(url) {
  if (url !== PAGE && !url.startsWith(FILES)) throw new Error(`${url} is not to be kept.`);
  const answer = await fetch(url, { credentials: "omit", cache: "reload" });
  if (!answer.ok || answer.redirected) throw new Error(`${url} was answered ${answer.status}.`);
  return [url, answer];
}

/**
 * Answer from the network. Without a network answer with a stored file, or with the offline page for a page.
 * @param {Request} request
 */
async function answerRequest(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await findKept(request);
    if (kept) return kept;
    throw error;
  }
}

/** @param {Request} request */
async function findKept(request) {
  const cache = await caches.open(CACHE);
  return cache.match(request.mode === "navigate" ? PAGE : new URL(request.url).pathname, { ignoreVary: true });
}

worker.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(fillCache().then(() => worker.skipWaiting())));
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== worker.location.origin) return;
  if (request.mode === "navigate" || pathname.startsWith(FILES)) event.respondWith(answerRequest(request));
});
