/** Two small sounds, made here and off until the player wants them. */

const STORE = "punto-sound";
let context = null;

export function isOn() {
  return localStorage.getItem(STORE) === "on";
}

export function setOn(on) {
  localStorage.setItem(STORE, on ? "on" : "off");
  if (on) context ??= new AudioContext();
}

/** A card slides over felt. */
export function cardSound() {
  noise({ seconds: 0.09, frequency: 1800, volume: 0.25 });
}

/** A chip is laid. */
export function chipSound() {
  noise({ seconds: 0.035, frequency: 4200, volume: 0.35 });
}

function noise({ seconds, frequency, volume }) {
  if (!isOn()) return;
  context ??= new AudioContext();
  const buffer = context.createBuffer(1, Math.ceil(context.sampleRate * seconds), context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let at = 0; at < samples.length; at += 1) samples[at] = (Math.random() * 2 - 1) * (1 - at / samples.length);
  const source = new AudioBufferSourceNode(context, { buffer });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency });
  source.connect(filter).connect(new GainNode(context, { gain: volume })).connect(context.destination);
  source.start();
}
