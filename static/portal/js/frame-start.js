// @ts-check
/** Opens the table with the launch's code, which the address has after its `#`: a browser never sends that part. */

import { createElement } from "./dom.js";

/** Move the code of the address into a POST, whose answer is the table. */
export function sendLaunchCode() {
  const code = createElement("input");
  code.type = "hidden";
  code.name = "launch_code";
  code.value = window.location.hash.slice(1);
  const form = createElement("form");
  form.method = "post";
  form.action = window.location.pathname;
  form.append(code);
  document.body.append(form);
  window.history.replaceState(null, "", window.location.pathname);
  form.submit();
}
