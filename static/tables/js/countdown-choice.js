// @ts-check
/** Chooses the countdown that a table shows this player or a watcher; countdown-view.js draws it. Pure. */

/**
 * @typedef {import("./countdown-view.js").Countdown} Countdown
 * @typedef {import("./table-model.js").Json} Json
 * @typedef {import("./table-model.js").TableModel} TableModel
 *
 * @typedef {{ windowMs: number, turnMs: number, pauseMs: number }} Times
 */

const SECOND_MS = 1000;
const WINDOW_S = 30;
const TURN_S = 20;
const PAUSE_S = 5;

/**
 * Return the times of a room.
 * @param {Json} room
 * @returns {Times}
 */
export function readTimes({ windowSeconds = WINDOW_S, turnSeconds = TURN_S, pauseSeconds = PAUSE_S }) {
  return { windowMs: windowSeconds * SECOND_MS, turnMs: turnSeconds * SECOND_MS, pauseMs: pauseSeconds * SECOND_MS };
}

/**
 * Return the current countdown; null for none.
 * @param {TableModel} model
 * @param {Json | null} seat  this player's
 * @param {Times} times
 * @returns {Countdown | null}
 */
export function chooseCountdown({ state, window, request }, seat, { windowMs, turnMs, pauseMs }) {
  if (!state) return null;
  if (request) return { words: "live-your-time", deadlineMs: request.deadlineMs, totalMs: turnMs, isOwn: true };
  const deadlineMs = Number(state.deadline ?? 0);
  switch (state.phase) {
    case "betting":
      return deadlineMs ? { words: "live-bets-close", deadlineMs, totalMs: windowMs, isOwn: isAwaited(seat, window) } : null;
    case "playing":
      return chooseTurn(state, turnMs);
    case "pause":
      return deadlineMs ? { words: state.isClosing ? "live-closes-in" : "live-next-round", deadlineMs, totalMs: pauseMs, isOwn: false } : null;
    default:
      return null;
  }
}

/**
 * Return whether a window waits for a seat's stake.
 * @param {Json | null} seat
 * @param {TableModel["window"]} window
 */
function isAwaited(seat, window) {
  return Boolean(seat && window && !seat.ready && !seat.staked);
}

/**
 * @param {Json} state
 * @param {number} turnMs
 * @returns {Countdown | null}
 */
function chooseTurn({ turns }, turnMs) {
  if (!turns.length) return null;
  const deadlineMs = Math.max(...turns.map((/** @type {Json} */ turn) => Number(turn.deadline)));
  return { words: "live-time-to-act", deadlineMs, totalMs: turnMs, isOwn: false };
}
