// @ts-check
/** The sounds of a table, made here by synthesis. They are off by default. */

import { readStored, writeStored } from "./stored.js";

/**
 * @typedef {{ seconds: number, frequency: number, volume: number, after?: number }} Noise  `after`: seconds from now
 * @typedef {{ frequency: number, seconds: number, volume: number, after: number }} Note
 */

const STORE = "punto-sound";
/** A major chord, rising. @type {Note[]} */
const WIN_NOTES = [523.25, 659.25, 783.99].map((frequency, index) => ({ frequency, seconds: 0.5, volume: 0.12, after: index * 0.09 }));
const CHIP = { seconds: 0.035, frequency: 4200, volume: 0.35 };
const STACK_CHIPS = 4;
const STACK_GAP_S = 0.045;

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
  playNoise({ seconds: 0.02, frequency: 600, volume: 0.3, after: 0.07 });
}

/** The sound of a chip. */
export function playChipSound() {
  playNoise(CHIP);
}

/** The sound of chips that are pushed together. */
export function playChipsSound() {
  for (let chip = 0; chip < STACK_CHIPS; chip += 1) {
    playNoise({ ...CHIP, frequency: CHIP.frequency - chip * 250, volume: 0.2, after: chip * STACK_GAP_S });
  }
}

/** The sound of a gain: the payout is higher than the stake. */
export function playWinSound() {
  playChipsSound();
  for (const note of WIN_NOTES) playNote(note);
}

/** @param {Noise} noise */
function playNoise({ seconds, frequency, volume, after = 0 }) {
  if (!isSoundOn()) return;
  context ??= new AudioContext();
  const buffer = context.createBuffer(1, Math.ceil(context.sampleRate * seconds), context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let at = 0; at < samples.length; at += 1) samples[at] = (Math.random() * 2 - 1) * (1 - at / samples.length);
  const source = new AudioBufferSourceNode(context, { buffer });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency });
  source.connect(filter).connect(new GainNode(context, { gain: volume })).connect(context.destination);
  source.start(context.currentTime + after);
}

/** @param {Note} note */
function playNote({ frequency, seconds, volume, after }) {
  if (!isSoundOn()) return;
  context ??= new AudioContext();
  const start = context.currentTime + after;
  const source = new OscillatorNode(context, { type: "triangle", frequency });
  const loudness = new GainNode(context, { gain: volume });
  loudness.gain.setValueAtTime(volume, start);
  loudness.gain.exponentialRampToValueAtTime(0.001, start + seconds);
  source.connect(loudness).connect(context.destination);
  source.start(start);
  source.stop(start + seconds);
}
