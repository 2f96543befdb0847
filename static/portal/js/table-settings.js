// @ts-check
/** The settings of every table: sound, keys, speed, felt. The browser remembers each. */

import { findButton } from "./dom.js";
import { connectFelts } from "./felts.js";
import { connectPace } from "./pace.js";
import { isSoundOn, setSoundOn } from "./sound.js";
import { connectKeys, connectSwitch } from "./switches.js";

/**
 * @param {HTMLElement} root  the table
 * @param {(key: string) => void} onKey  called with each key while keys are switched on
 */
export function connectSettings(root, onKey) {
  connectSwitch(findButton(root, "sound"), isSoundOn, setSoundOn);
  connectFelts(root);
  connectPace(root);
  connectKeys(findButton(root, "keys"), onKey);
}
