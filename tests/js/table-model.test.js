/** A page's model of a table, message by message, with its texts and countdowns. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Currency } from "../../static/portal/js/currency.js";
import { fitToWindow, listMessages, listPlaces } from "../../static/tables/js/bets.js";
import { chooseCountdown, readTimes } from "../../static/tables/js/countdown-choice.js";
import { applyMessage, clearRequest, EMPTY_MODEL, findRound, findSeat, hasNewResults, isEndOfRefusals } from "../../static/tables/js/table-model.js";
import { describeTable } from "../../static/tables/js/verdicts.js";
import { writeExact } from "../../static/tables/js/wire.js";
import { openPage } from "./support.js";

openPage("apps/portal/script_words.py", "apps/tables/words.py");

const FUN = new Currency("FUN", 2);
const SEAT = { seat: "1", playerId: "ann", displayName: "Ann", stakes: {}, ready: false, staked: false };
const BEN = { ...SEAT, seat: "2", playerId: "ben", displayName: "Ben" };
const TIMES = readTimes({ windowSeconds: "15", turnSeconds: "20", pauseSeconds: "5" });

/** @param {Record<string, any>} parts */
function createState(parts) {
  return { phase: "betting", roundId: "r1", deadline: "9000", turns: [], seats: [SEAT, BEN], results: [], ...parts };
}

/**
 * @param {Record<string, any>[]} messages
 * @returns {import("../../static/tables/js/table-model.js").TableModel}
 */
function applyAll(messages) {
  return messages.map((message, index) => ({ type: "", messageId: String(index), timestamp: "1000", ...message })).reduce(applyMessage, EMPTY_MODEL);
}

/** @param {Record<string, any>} parts */
function createUpdate(parts) {
  return { type: "game_state_update", payload: createState(parts) };
}

const WINDOW = {
  type: "betting_window_open", timeoutSeconds: "15",
  payload: { deadline: "16000", availableActions: [{ type: "ready" }], contributions: [{ seat: "1", clientSeed: "aa" }] },
};
const REQUEST = {
  type: "game_action_request", timeoutSeconds: "20",
  payload: { ...createState({ phase: "playing", deadline: null, turns: [{ seat: "1", deadline: "21000" }] }), availableActions: [{ type: "hit" }] },
};

test("an open window is offered until it closes", () => {
  const open = applyAll([createUpdate({}), WINDOW]);
  assert.equal(open.window?.deadlineMs, 16000);
  assert.deepEqual(open.contributions, [{ seat: "1", clientSeed: "aa" }]);
  assert.equal(applyAll([createUpdate({}), WINDOW, { type: "betting_window_closed" }]).window, null);
});

test("a window that is sent again has the id of the first one", () => {
  assert.equal(applyAll([createUpdate({}), { ...WINDOW, repeats: "first" }]).window?.id, "first");
});

test("a request shows the state that it carries, and is over with its answer", () => {
  const asked = applyAll([createUpdate({}), REQUEST]);
  assert.equal(asked.state?.phase, "playing");
  assert.equal(asked.request?.deadlineMs, 21000);
  assert.equal(clearRequest(asked, "another").request?.id, "1");
  assert.equal(clearRequest(asked, "1").request, null);
});

test("what was pending before a reconnection is dropped, for it comes again", () => {
  const back = { type: "reconnect_state", currentState: createState({ phase: "playing" }) };
  assert.equal(applyAll([createUpdate({}), REQUEST, back]).request, null);
  assert.notEqual(applyAll([createUpdate({}), REQUEST, back, REQUEST]).request, null);
});

test("roads stay where a message leaves them out, and cards do not", () => {
  const roads = { beadPlate: [] };
  const { state } = applyAll([createUpdate({ roads, player: { cards: [] } }), createUpdate({})]);
  assert.deepEqual(state?.roads, roads);
  assert.equal(state?.player, undefined);
});

test("a round's commitment, result and seed are kept together", () => {
  const { rounds } = applyAll([
    { type: "seed_commitment", handId: "r1", nonce: "7", seedHash: "hash", shoe: ["2", "0"] },
    { type: "round_result", payload: { roundId: "r1", roundNumber: "7", results: [] } },
    { type: "seed_reveal", handId: "r1", seed: "seed" },
  ]);
  assert.equal(rounds.length, 1);
  assert.deepEqual([rounds[0].roundNumber, rounds[0].seedHash, rounds[0].seed], ["7", "hash", "seed"]);
  assert.deepEqual(findRound(rounds, "r1")?.shoe, ["2", "0"]);
});

test("a player is found by the id of the session, and a watcher nowhere", () => {
  const model = applyAll([createUpdate({})]);
  assert.equal(findSeat(model, "ben")?.seat, "2");
  assert.equal(findSeat(model, "eve"), null);
});

test("a window counts down for who has not bet, and loudly for nobody else", () => {
  const model = applyAll([createUpdate({}), WINDOW]);
  assert.equal(chooseCountdown(model, SEAT, TIMES)?.isOwn, true);
  assert.equal(chooseCountdown(model, { ...SEAT, staked: true }, TIMES)?.isOwn, false);
  assert.equal(chooseCountdown(model, null, TIMES)?.isOwn, false);
  assert.equal(chooseCountdown(applyAll([createUpdate({}), REQUEST]), SEAT, TIMES)?.words, "live-your-time");
});

test("a watcher's countdown ends when the last of all who decide has no time left", () => {
  const turns = [{ seat: "1", deadline: "9000" }, { seat: "2", deadline: "12000" }];
  assert.equal(chooseCountdown(applyAll([createUpdate({ phase: "playing", turns })]), null, TIMES)?.deadlineMs, 12000);
});

test("the pause of a table that is to be closed does not count down to a next round", () => {
  const pause = { phase: "pause", deadline: "9000" };
  assert.equal(chooseCountdown(applyAll([createUpdate(pause)]), SEAT, TIMES)?.words, "live-next-round");
  const closing = applyAll([createUpdate(pause), createUpdate({ ...pause, isClosing: true })]);
  assert.equal(chooseCountdown(closing, SEAT, TIMES)?.words, "live-closes-in");
  assert.equal(chooseCountdown(applyMessage(closing, { type: "game_state_update", messageId: "again", timestamp: "1", payload: createState(pause) }), SEAT, TIMES)?.words, "live-next-round");
});

test("the felt says whose turn it is, by name for all others", () => {
  const model = applyAll([createUpdate({ phase: "playing", turns: [{ seat: "1" }, { seat: "2" }] })]);
  const viewer = { playerId: "ann", hasStake: true, currency: FUN, question: "", ending: "" };
  assert.equal(describeTable(model, { ...viewer, seat: null }).title, "Ann and Ben to act.");
  assert.equal(describeTable(model, { ...viewer, seat: SEAT }).title, "Your move.");
  assert.equal(describeTable(model, { ...viewer, seat: SEAT, question: "Insure?" }).title, "Insure?");
});

test("a window that does not play the player's seat asks for no bet and for no move", () => {
  const elsewhere = { playerId: "ann", seat: SEAT, isElsewhere: true, hasStake: false, currency: FUN, question: "", ending: "" };
  assert.equal(describeTable(applyAll([createUpdate({}), WINDOW]), elsewhere).title, "Bets are being placed.");
  assert.equal(describeTable(applyAll([createUpdate({ phase: "playing", turns: [{ seat: "1" }] })]), elsewhere).title, "Ann to act.");
});

test("a result is told with what was staked and what came back", () => {
  const results = [{ seat: "1", playerId: "ann", stakes: "25", payout: "48.75", net: "23.75" }];
  const model = applyAll([createUpdate({ phase: "pause", results })]);
  const viewer = { playerId: "ann", seat: SEAT, hasStake: true, currency: FUN, question: "", ending: "Banker wins, 7 to 3." };
  const verdict = describeTable(model, viewer);
  assert.equal(verdict.title, "Banker wins, 7 to 3. You win 23.75\u00a0FUN.");
  assert.equal(verdict.note, "Staked 25.00\u00a0FUN, returned 48.75\u00a0FUN.");
  assert.equal(verdict.tone, "win");
  assert.equal(verdict.gain?.units, 2375n);
  assert.equal(verdict.gain?.write(100n), "Banker wins, 7 to 3. You win 1.00\u00a0FUN.");
  assert.equal(describeTable(model, { ...viewer, playerId: "ben", seat: BEN }).title, "Banker wins, 7 to 3.");
});

test("a result is told to who staked, and has left the seat, and not to who has taken it since", () => {
  const results = [{ seat: "1", playerId: "ann", stakes: "25", payout: "0", net: "-25" }];
  const next = { ...BEN, seat: "1" };
  const model = applyAll([createUpdate({ phase: "pause", results, seats: [next] })]);
  const viewer = { hasStake: false, currency: FUN, question: "", ending: "Banker wins, 7 to 3." };
  assert.equal(describeTable(model, { ...viewer, playerId: "ann", seat: null }).title, "Banker wins, 7 to 3. You lose 25.00\u00a0FUN.");
  assert.equal(describeTable(model, { ...viewer, playerId: "ben", seat: next }).title, "Banker wins, 7 to 3.");
  assert.equal(describeTable(model, { ...viewer, playerId: "", seat: null }).title, "Banker wins, 7 to 3.");
});

test("a return below the stake, or of the stake alone, is no gain", () => {
  const viewer = { playerId: "ann", seat: SEAT, hasStake: true, currency: FUN, question: "", ending: "" };
  for (const [payout, net] of [["24", "-1"], ["25", "0"]]) {
    const model = applyAll([createUpdate({ phase: "pause", results: [{ seat: "1", playerId: "ann", stakes: "25", payout, net }] })]);
    const { gain, title } = describeTable(model, viewer);
    assert.deepEqual([gain, title], [null, net === "0" ? "Your stake comes back." : "You lose 1.00\u00a0FUN."]);
  }
});

test("results are new once, to who has followed the round", () => {
  const result = { phase: "pause", results: [{ seat: "1", stakes: "25", payout: "0", net: "-25" }] };
  const states = [{ phase: "playing" }, result, { ...result, roundId: "r2" }];
  const [playing, ended, next] = states.map((state) => applyAll([createUpdate(state)]));
  const pairs = [[playing, ended], [ended, ended], [ended, next], [ended, playing], [EMPTY_MODEL, ended]];
  assert.deepEqual(pairs.map(([before, after]) => hasNewResults(before, after)), [true, false, false, false, false]);
});

const MAIN_ACTIONS = [{ type: "place_bet", minAmount: "2", maxAmount: "200", step: "2", perfectPairs: { minAmount: "1", maxAmount: "100" } }];
const TYPED_ACTIONS = [{ type: "place_bet", betTypes: [{ betType: "tie", minAmount: "1", maxAmount: "50.5", odds: "8" }] }];

const MAIN_WINDOW = { places: listPlaces(MAIN_ACTIONS, FUN), actions: MAIN_ACTIONS, currency: FUN };
const TYPED_WINDOW = { places: listPlaces(TYPED_ACTIONS, FUN), actions: TYPED_ACTIONS, currency: FUN };

/**
 * The messages that lead from some stakes to others, as they are sent.
 * @param {[string, bigint][]} from
 * @param {[string, bigint][]} to
 * @param {Parameters<typeof listMessages>[2]} window
 */
function writeMessages(from, to, window) {
  const messages = listMessages(new Map(from), new Map(to), window);
  const after = messages.reduce((stakes, { change }) => change(stakes), new Map(from));
  assert.deepEqual(new Map(after), new Map(to));
  return messages.map(({ payload }) => writeExact(payload));
}

test("places of a main bet and its side bets are sent together", () => {
  assert.deepEqual(MAIN_WINDOW.places.map(({ name, step }) => [name, step]), [["main", 200n], ["perfectPairs", 1n]]);
  const [odd] = listPlaces([{ type: "place_bet", minAmount: "3", maxAmount: "9", step: "2" }], FUN);
  assert.deepEqual([odd.minimum, odd.maximum], [400n, 800n]); // of the step, within the limits
  const sent = writeMessages([["main", 200n]], [["main", 1050n], ["perfectPairs", 100n]], MAIN_WINDOW);
  assert.deepEqual(sent, ['{"action":"place_bet","amount":10.5,"perfectPairs":1}']);
});

test("a main bet that goes down replaces the one before", () => {
  assert.deepEqual(writeMessages([["main", 400n]], [["main", 200n]], MAIN_WINDOW), ['{"action":"place_bet","amount":2}']);
});

test("a bet by its type adds one stake", () => {
  assert.deepEqual(TYPED_WINDOW.places.map(({ name, maximum, odds }) => [name, maximum, odds]), [["tie", 5050n, "8"]]);
  const sent = writeMessages([["tie", 100n]], [["tie", 300n]], TYPED_WINDOW);
  assert.deepEqual(sent, ['{"action":"place_bet","betType":"tie","amount":2}']);
});

test("a bet by its type that goes down is withdrawn with the others, which are placed again", () => {
  const sent = writeMessages([["tie", 300n], ["player", 100n]], [["tie", 100n], ["player", 100n]], TYPED_WINDOW);
  assert.deepEqual(sent, [
    '{"action":"clear_bets"}', '{"action":"place_bet","betType":"tie","amount":1}',
    '{"action":"place_bet","betType":"player","amount":1}',
  ]);
  assert.deepEqual(writeMessages([["tie", 300n], ["player", 100n]], [["player", 100n]], TYPED_WINDOW), [
    '{"action":"clear_bets"}', '{"action":"place_bet","betType":"player","amount":1}',
  ]);
});

test("a refusal lasts until the bets close, and one that comes later until the result", () => {
  const ends = ["betting_window_open", "game_state_update", "betting_window_closed", "player_action_broadcast", "round_result"]
    .filter((type) => isEndOfRefusals({ type, messageId: "m2" }));
  assert.deepEqual(ends, ["betting_window_open", "betting_window_closed", "round_result"]);
  assert.equal(isEndOfRefusals({ type: "betting_window_open", messageId: "m2", repeats: "m1" }), false);
});

test("bets that are all taken back are one message, and none where nothing is staked", () => {
  assert.deepEqual(writeMessages([["tie", 300n]], [], TYPED_WINDOW), ['{"action":"clear_bets"}']);
  assert.deepEqual(writeMessages([], [], MAIN_WINDOW), []);
});

test("a side bet is not repeated without its main bet", () => {
  assert.deepEqual([...fitToWindow(new Map([["main", 100n], ["perfectPairs", 100n]]), MAIN_WINDOW.places)], []);
});

test("the same bet again is lowered to the limits of today, in the steps of its place", () => {
  const places = listPlaces(TYPED_ACTIONS, FUN);
  assert.deepEqual([...fitToWindow(new Map([["tie", 6000n]]), places)], [["tie", 5050n]]);
  assert.deepEqual([...fitToWindow(new Map([["main", 90100n], ["perfectPairs", 99999n]]), MAIN_WINDOW.places)], [["main", 20000n], ["perfectPairs", 10000n]]);
});

test("the same bet again leaves out what is not on offer any more", () => {
  const last = new Map([["tie", 100n], ["gone", 100n]]);
  assert.deepEqual([...fitToWindow(last, listPlaces(TYPED_ACTIONS, FUN))], [["tie", 100n]]);
});
