// @ts-check
/** The sounds of a table, made here by synthesis: short noises of cards and chips, and a chord for a gain. */

/**
 * @typedef {{ seconds: number, frequency: number, volume: number, after?: number }} Noise  `after`: seconds from now
 * @typedef {{ frequency: number, seconds: number, volume: number, after: number }} Note
 * @typedef {"card" | "chip" | "chips" | "win"} SoundName
 */

/** A major chord, rising. @type {Note[]} */
const WIN_NOTES = [523.25, 659.25, 783.99].map((frequency, index) => ({ frequency, seconds: 0.5, volume: 0.12, after: index * 0.09 }));
/** Of a card on felt. @type {Noise[]} */
const CARD = [{ seconds: 0.09, frequency: 1800, volume: 0.25 }, { seconds: 0.02, frequency: 600, volume: 0.3, after: 0.07 }];
/** @type {Noise} */
const CHIP = { seconds: 0.035, frequency: 4200, volume: 0.35 };
const STACK_GAP_S = 0.045;
/** Of chips that are pushed together. @type {Noise[]} */
const CHIPS = [0, 1, 2, 3].map((chip) => ({ ...CHIP, frequency: CHIP.frequency - chip * 250, volume: 0.2, after: chip * STACK_GAP_S }));

/** @type {Record<SoundName, { noises: Noise[], notes?: Note[] }>} */
const SOUNDS = {
  card: { noises: CARD },
  chip: { noises: [CHIP] },
  chips: { noises: CHIPS },
  win: { noises: CHIPS, notes: WIN_NOTES },
};

/**
 * @param {AudioContext} context
 * @param {SoundName} name
 */
export function playSound(context, name) {
  const { noises, notes = [] } = SOUNDS[name];
  for (const noise of noises) playNoise(context, noise);
  for (const note of notes) playNote(context, note);
}

/**
 * @param {AudioContext} context
 * @param {Noise} noise
 */
function playNoise(context, { seconds, frequency, volume, after = 0 }) {
  const buffer = context.createBuffer(1, Math.ceil(context.sampleRate * seconds), context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let at = 0; at < samples.length; at += 1) samples[at] = (Math.random() * 2 - 1) * (1 - at / samples.length);
  const source = new AudioBufferSourceNode(context, { buffer });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency });
  source.connect(filter).connect(new GainNode(context, { gain: volume })).connect(context.destination);
  source.start(context.currentTime + after);
}

/**
 * @param {AudioContext} context
 * @param {Note} note
 */
function playNote(context, { frequency, seconds, volume, after }) {
  const start = context.currentTime + after;
  const source = new OscillatorNode(context, { type: "triangle", frequency });
  const loudness = new GainNode(context, { gain: volume });
  loudness.gain.setValueAtTime(volume, start);
  loudness.gain.exponentialRampToValueAtTime(0.001, start + seconds);
  source.connect(loudness).connect(context.destination);
  source.start(start);
  source.stop(start + seconds);
}
