// @ts-check
/** The switch for the sounds of a table. They are off by default, and their script is loaded with the first one. */

import { readStored, writeStored } from "./stored.js";

const STORE = "punto-sound";

/** @type {AudioContext | null} */
let context = null;

export function isSoundOn() {
  return readStored(STORE) === "on";
}

/** @param {boolean} isOn */
export function setSoundOn(isOn) {
  writeStored(STORE, isOn ? "on" : "off");
  if (isOn) play("chip"); // the player hears that it is on
}

/** The sound of a card on felt. */
export function playCardSound() {
  play("card");
}

/** The sound of a chip. */
export function playChipSound() {
  play("chip");
}

/** The sound of chips that are pushed together. */
export function playChipsSound() {
  play("chips");
}

/** The sound of a gain: the payout is higher than the stake. */
export function playWinSound() {
  play("win");
}

/** @param {import("./synthesis.js").SoundName} name */
async function play(name) {
  // A browser lets no page sound before its first click or key.
  if (!isSoundOn() || navigator.userActivation?.hasBeenActive === false) return;
  context ??= new AudioContext();
  if (context.state !== "running") context.resume(); // Safari starts none by itself
  const { playSound } = await import("./synthesis.js");
  playSound(context, name);
}
