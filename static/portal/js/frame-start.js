// @ts-check
/**
 * Opens the table with the launch's code. The code is in the address after `#`, since a browser never sends that part.
 */

import { createElement } from "./dom.js";

/** The form of the server's codes. Any other text after the `#` is a place in the page. */
const CODE = /^[\w-]{43}$/;

/** Open the table with the code that the host page has just put into the address. */
export function takeLaunchCode() {
  if (CODE.test(window.location.hash.slice(1))) sendLaunchCode();
}

/** Move the code of the address into a POST, whose answer is the table. */
export function sendLaunchCode() {
  const code = window.location.hash.slice(1);
  window.history.replaceState(null, "", window.location.pathname);
  postLaunchCode(code);
}

/**
 * Replace this page by the table that the code opens.
 * @param {string} code
 */
export function postLaunchCode(code) {
  const field = createElement("input");
  field.type = "hidden";
  field.name = "launch_code";
  field.value = code;
  const form = createElement("form");
  form.method = "post";
  form.action = window.location.pathname;
  form.append(field);
  document.body.append(form);
  form.submit();
}
