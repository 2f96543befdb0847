// @ts-check
/** The seeds page: a button that fills in a random client seed. */

import { findElement } from "./dom.js";
import { createRandomHex } from "./random.js";

const CLIENT_SEED_BYTES = 8;
const button = findElement(document, "#seed-random", HTMLButtonElement);
const field = findElement(document, "#id_client_seed", HTMLInputElement);

button.hidden = false;
button.addEventListener("click", () => {
  field.value = createRandomHex(CLIENT_SEED_BYTES);
  field.focus();
});
