// @ts-check
/** The model of one table in a window. Pure: a model and a message result in the next model. */

/**
 * @typedef {Record<string, any>} Json  numbers are texts
 * @typedef {import("./wire.js").Message} Message
 *
 * A request or a window: this player, or everybody, may act until a time of the server's clock.
 * @typedef {object} Offer
 * @property {string} id  of its first message; a repeated message has the same
 * @property {Json[]} actions
 * @property {Json} payload
 * @property {number} deadlineMs
 * @property {number} totalMs
 *
 * The commitment of a round, and its result.
 * @typedef {object} RoundNote
 * @property {string} roundId
 * @property {string} roundNumber
 * @property {string} seedHash
 * @property {string[] | null} shoe  how many of each card were left before the round; null for an endless shoe, or if
 *   unknown
 * @property {string} seed  empty until it is revealed
 * @property {Json | null} result  the payload of `round_result`; null while there is none
 *
 * @typedef {object} TableModel
 * @property {Json | null} state  the public state; null before the first
 * @property {Offer | null} window
 * @property {Offer | null} request
 * @property {Json | null} result  of the round whose cards still lie on the table
 * @property {import("./contributions.js").Contribution[]} contributions  to the client seed of the running round
 * @property {RoundNote[]} rounds  the last of them, the newest last
 */

const ROUNDS_KEPT = 20;
const SECOND_MS = 1000;
/** Parts of the public state about earlier rounds. A message without them leaves them unchanged. */
const KEPT_PARTS = ["previousResults", "roads"];

/** @type {TableModel} */
export const EMPTY_MODEL = { state: null, window: null, request: null, result: null, contributions: [], rounds: [] };

/**
 * Return the model after a message of the table.
 * @param {TableModel} model
 * @param {Message} message
 * @returns {TableModel}
 */
export function applyMessage(model, message) {
  const { type, payload } = message;
  switch (type) {
    case "game_state_update":
      return takeState(model, payload);
    case "reconnect_state":
      // The server sends the pending request or window again.
      return takeState({ ...model, window: null, request: null }, message.currentState);
    case "betting_window_open":
      return {
        ...model, window: readOffer(message), request: null, result: null, contributions: payload.contributions ?? [],
      };
    case "betting_window_closed":
      return { ...model, window: null };
    case "game_action_request":
      return takeState({ ...model, request: readOffer(message) }, payload); // the public state is in it
    case "player_action_broadcast":
      return takeState(model, payload.resultingState);
    case "round_result":
      return { ...rememberRound(model, payload.roundId, { result: payload }), result: payload, window: null, request: null };
    case "seed_commitment":
      return rememberRound(model, message.handId, { roundNumber: message.nonce, seedHash: message.seedHash, shoe: message.shoe ?? null });
    case "seed_reveal":
      return rememberRound(model, message.handId, { seed: message.seed });
    default:
      return model;
  }
}

/**
 * Return the model after the server has accepted the player's answer to a request.
 * @param {TableModel} model
 * @param {string} requestId
 * @returns {TableModel}
 */
export function clearRequest(model, requestId) {
  return model.request?.id === requestId ? { ...model, request: null } : model;
}

/**
 * Return whether the round of the earlier model has ended with results.
 * @param {TableModel} before
 * @param {TableModel} after
 */
export function hasNewResults(before, after) {
  const isSame = Boolean(before.state) && before.state?.roundId === after.state?.roundId;
  return isSame && Boolean(after.state?.results.length) && !before.state?.results.length;
}

/**
 * Return whether a round has ended: settled, voided, or with its stakes given back as the table closed. Money may have
 * moved.
 * @param {TableModel} before
 * @param {TableModel} after
 */
export function hasEndedRound(before, after) {
  const isRunning = (/** @type {TableModel} */ { state }) => ["betting", "playing"].includes(state?.phase);
  return isRunning(before) && !isRunning(after);
}

/**
 * Return whether a refusal before this message is out of date: it would cover what is said of the deal or the result, or
 * what to do in a new window. A refusal that comes after the window has closed is newer and stays until the result.
 * @param {Message} message
 */
export function isEndOfRefusals({ type, repeats }) {
  return type === "betting_window_closed" || type === "round_result" || (type === "betting_window_open" && !repeats);
}

/**
 * Return the seat of a player, or null.
 * @param {TableModel} model
 * @param {string} playerId
 * @returns {Json | null}
 */
export function findSeat({ state }, playerId) {
  return state?.seats.find((/** @type {Json} */ seat) => seat.playerId === playerId) ?? null;
}

/**
 * Return a player's result in the round that has ended, or null. The player may have left, and another one may have taken
 * the seat: a seat's number does not tell whose result it is.
 * @param {Json} state
 * @param {string} playerId
 * @returns {Json | null}
 */
export function findResult({ results }, playerId) {
  return results.find((/** @type {Json} */ each) => each.playerId === playerId) ?? null;
}

/**
 * @param {RoundNote[]} rounds
 * @param {string} roundId
 */
export function findRound(rounds, roundId) {
  return rounds.find((round) => round.roundId === roundId);
}

/**
 * @param {TableModel} model
 * @param {Json} state
 * @returns {TableModel}
 */
function takeState(model, state) {
  const kept = Object.fromEntries(KEPT_PARTS.flatMap((part) => (model.state?.[part] ? [[part, model.state[part]]] : [])));
  const isBetting = state.phase === "betting";
  const isPlaying = state.phase === "playing";
  return {
    ...model,
    state: { ...kept, ...state },
    window: isBetting ? model.window : null,
    request: isPlaying ? model.request : null,
    result: state.phase === "pause" ? model.result : null,
  };
}

/**
 * @param {Message} message
 * @returns {Offer}
 */
function readOffer({ messageId, repeats, timestamp, timeoutSeconds, payload }) {
  const timeoutMs = Number(timeoutSeconds) * SECOND_MS;
  return {
    id: repeats ?? messageId,
    actions: payload.availableActions ?? [],
    payload,
    deadlineMs: payload.deadline ? Number(payload.deadline) : Number(timestamp) + timeoutMs,
    totalMs: timeoutMs,
  };
}

/**
 * @param {TableModel} model
 * @param {string} roundId
 * @param {Partial<RoundNote>} news
 * @returns {TableModel}
 */
function rememberRound(model, roundId, news) {
  const note = { roundId, roundNumber: "", seedHash: "", shoe: null, seed: "", result: null, ...findRound(model.rounds, roundId), ...news };
  if (news.result) note.roundNumber = news.result.roundNumber;
  const others = model.rounds.filter((round) => round.roundId !== roundId);
  return { ...model, rounds: [...others, note].slice(-ROUNDS_KEPT) };
}
