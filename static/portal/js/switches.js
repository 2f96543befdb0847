// @ts-check
/** Buttons that switch something on and off, and the keys of a table, which one of them switches. */

import { CONTROLS } from "./dom.js";
import { readStored, writeStored } from "./stored.js";
import { tell } from "./words.js";

const KEYS_STORE = "punto-keys";
const FIELDS = "input:not([type=radio], [type=checkbox]), textarea, select";

/**
 * Make a button a switch: show its state, and enable it.
 * @param {HTMLButtonElement} button
 * @param {() => boolean} isOn
 * @param {(isOn: boolean) => void} setOn
 */
export function connectSwitch(button, isOn, setOn) {
  const show = () => {
    button.setAttribute("aria-pressed", String(isOn()));
    button.dataset.state = tell(isOn() ? "switch-on" : "switch-off");
  };
  button.addEventListener("click", () => {
    setOn(!isOn());
    show();
  });
  button.disabled = false;
  show();
}

/**
 * Call `press` with each key that is pressed on the page, in lower case, while the button has keys switched on. Keys in
 * a field or with Ctrl, Alt or Meta are ignored.
 * @param {HTMLButtonElement} button
 * @param {(key: string) => void} press
 */
export function connectKeys(button, press) {
  connectSwitch(button, isKeySwitchOn, (on) => writeStored(KEYS_STORE, on ? "on" : "off"));
  document.addEventListener("keydown", (event) => {
    if (isPlainKey(event)) press(event.key.toLowerCase());
  });
}

/**
 * Call `press` when the space bar is pressed, unless it presses a control that was reached with the keyboard. A control
 * that was clicked before does not take the key.
 * @param {() => void} press
 */
export function connectSpace(press) {
  let isByPointer = false;
  let isTaken = false;
  document.addEventListener("pointerdown", () => { isByPointer = true; });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Tab" || event.key.startsWith("Arrow")) isByPointer = false;
    isTaken = event.key === " " && isPlainKey(event) && !event.defaultPrevented && (isByPointer || !isOnControl(event));
    if (!isTaken) return;
    event.preventDefault();
    press();
  });
  document.addEventListener("keyup", (event) => {
    if (event.key === " " && isTaken) event.preventDefault(); // else the control that was clicked before would be pressed
  });
}

function isKeySwitchOn() {
  return readStored(KEYS_STORE) !== "off";
}

/**
 * Whether the key is for the table: keys are switched on, and the key is neither a shortcut nor for a field.
 * @param {KeyboardEvent} event
 */
function isPlainKey({ repeat, ctrlKey, altKey, metaKey, target }) {
  if (!isKeySwitchOn() || repeat || ctrlKey || altKey || metaKey) return false;
  return !(target instanceof Element && target.matches(FIELDS));
}

/** @param {KeyboardEvent} event */
function isOnControl({ target }) {
  return target instanceof Element && target.matches(CONTROLS);
}
