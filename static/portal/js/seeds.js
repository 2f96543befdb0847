/** The seeds page: a random client seed at the press of a button. */

const button = document.getElementById("seed-random");
const field = document.getElementById("id_client_seed");

button.hidden = false;
button.addEventListener("click", () => {
  field.value = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  field.focus();
});
