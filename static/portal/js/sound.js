// @ts-check
/** Two short generated sounds, which are off by default. */

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
  if (isOn) context ??= new AudioContext();
}

/** The sound of a card on felt. */
export function playCardSound() {
  playNoise({ seconds: 0.09, frequency: 1800, volume: 0.25 });
}

/** The sound of a chip. */
export function playChipSound() {
  playNoise({ seconds: 0.035, frequency: 4200, volume: 0.35 });
}

/** @param {{ seconds: number, frequency: number, volume: number }} noise */
function playNoise({ seconds, frequency, volume }) {
  if (!isSoundOn()) return;
  context ??= new AudioContext();
  const buffer = context.createBuffer(1, Math.ceil(context.sampleRate * seconds), context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let at = 0; at < samples.length; at += 1) samples[at] = (Math.random() * 2 - 1) * (1 - at / samples.length);
  const source = new AudioBufferSourceNode(context, { buffer });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency });
  source.connect(filter).connect(new GainNode(context, { gain: volume })).connect(context.destination);
  source.start();
}
