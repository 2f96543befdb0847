// @ts-check
/** Buttons that switch something on and off. */

const KEYS_STORE = "punto-keys";

/**
 * Make a button switch something, and show whether it is on.
 * @param {HTMLButtonElement} button
 * @param {() => boolean} isOn
 * @param {(isOn: boolean) => void} setOn
 */
export function connectSwitch(button, isOn, setOn) {
  const show = () => button.setAttribute("aria-pressed", String(isOn()));
  button.addEventListener("click", () => {
    setOn(!isOn());
    show();
  });
  show();
}

/**
 * Call `press` with each key that is pressed on the page, in lower case, while the button has keys switched on. Keys in
 * a field or with Ctrl, Alt or Meta are ignored.
 * @param {HTMLButtonElement} button
 * @param {(key: string) => void} press
 */
export function connectKeys(button, press) {
  const isOn = () => localStorage.getItem(KEYS_STORE) !== "off";
  connectSwitch(button, isOn, (on) => localStorage.setItem(KEYS_STORE, on ? "on" : "off"));
  document.addEventListener("keydown", (event) => {
    if (!isOn() || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target instanceof Element && event.target.matches("input, textarea, select")) return;
    press(event.key.toLowerCase());
  });
}
