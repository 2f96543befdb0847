/** Finds modules by their addresses on the site: `/static/portal/...` in `static`, a game's own in its folder. */

import { existsSync } from "node:fs";

const ROOT = new URL("../../", import.meta.url);
const ADDRESS = /^\/static\/(([^/]+)\/.+)$/;

/** @type {import("node:module").ResolveHook} */
export function resolve(specifier, context, nextResolve) {
  const [, path, folder] = ADDRESS.exec(specifier) ?? [];
  if (!path) return nextResolve(specifier, context);
  const place = existsSync(new URL(`static/${folder}/`, ROOT)) ? `static/${path}` : `apps/${folder}/static/${path}`;
  return nextResolve(new URL(place, ROOT).href, context);
}
