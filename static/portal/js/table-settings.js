// @ts-check
/** The settings of a table: sound, squeeze, keys, speed, felt. The browser keeps each. */

import { findButton } from "./dom.js";
import { connectFelts } from "./felts.js";
import { connectPace } from "./pace.js";
import { isSoundOn, setSoundOn } from "./sound.js";
import { isSqueezeOn, setSqueezeOn } from "./squeeze.js";
import { connectKeys, connectSpace, connectSwitch } from "./switches.js";

/**
 * @param {HTMLElement} root  the table
 * @param {{ onKey: (key: string) => void, onSpace: () => void }} keys
 */
export function connectSettings(root, { onKey, onSpace }) {
  connectSwitch(findButton(root, "sound"), isSoundOn, setSoundOn);
  const squeeze = root.querySelector("[data-part=squeeze]"); // a game without a last card to squeeze has none
  if (squeeze instanceof HTMLButtonElement) connectSwitch(squeeze, isSqueezeOn, setSqueezeOn);
  connectFelts(root);
  connectPace(root);
  const keys = root.querySelector("[data-part=keys]");
  if (!(keys instanceof HTMLButtonElement)) return;
  connectKeys(keys, onKey);
  connectSpace(onSpace);
}
