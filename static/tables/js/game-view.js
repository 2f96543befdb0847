// @ts-check
/**
 * The interface of a game's module `table-view.js`: it draws the round, labels bets and actions, and orders the dealt cards. The
 * module exports `createView`.
 */

/**
 * @typedef {import("./action-panel.js").ActionName} ActionName
 * @typedef {import("./bets.js").Action} Action
 * @typedef {Record<string, any>} Json  numbers are texts
 *
 * @typedef {object} ViewContext
 * @property {HTMLElement} table
 * @property {import("../../portal/js/currency.js").Currency} currency  of the table; "points" if no money is staked
 * @property {Json} room  the room's row of the lobby
 * @property {string[]} sides  the sides that get cards, in dealing order; empty if each seat has its own hands
 * @property {Record<string, string>} bets  the types of bets by their names on the wire, each with its label,
 *   in the order of their spots
 *
 * The result of a finished round, for the player or for a watcher.
 * @typedef {{ title: string, note: string }} Ending
 *
 * A round that was dealt again: its cards, and the differences from the record.
 * @typedef {object} CheckedDeal
 * @property {string[]} cards
 * @property {string[]} labels  the receiver of each card
 * @property {string} problem  empty if the record shows the same cards
 *
 * The check of a finished round by its record.
 * @typedef {object} RoundCheck
 * @property {(record: Json) => number} countCards  the number of cards that the round has shown
 * @property {(record: Json, cards: string[]) => CheckedDeal} checkDeal
 *
 * The place of a player in the round: asked for a decision (`round_id` is the request's), after a round, or neither.
 * @typedef {{ round_id: string, isAsked: boolean, isOver: boolean }} AdvicePlace
 *
 * The part of the panel with advice on the player's decisions, and the place of the round that it follows.
 * @typedef {{ moveTo: (place: AdvicePlace) => void }} AdvicePanel
 *
 * The address of the advice at a place, and the name that the table's switch is kept under.
 * @typedef {{ findUrl: (place: { roundId: string, isOver: boolean }) => string, store: string }} AdviceOptions
 *
 * @typedef {object} GameView
 * @property {string[]} betOrder  the names of the bets in the order of their spots
 * @property {(name: string) => string} nameBet
 * @property {(name: string) => string} describeOdds
 * @property {(action: Action, request: Json) => ActionName} nameAction
 * @property {(request: Json, shoe: string[] | null) => string} describeQuestion  empty if the buttons say enough;
 *   `shoe` counts the cards that were left before the round, null if unknown
 * @property {(state: Json, options: { isInstant: boolean }) => number} show  draw the parts of the round that belong to
 *   no seat; returns the milliseconds that it takes
 * @property {(box: HTMLElement, seat: Json, options: { isOwn: boolean, isInstant: boolean }) => void} showSeat  draw a
 *   seat's cards
 * @property {(state: Json, seat: Json | null) => string} describeCards  the cards on the table and of the player, in a
 *   sentence
 * @property {(result: Json) => string} describeResult  the result of the round, in a sentence; empty if each seat has
 *   its own
 * @property {(state: Json) => void | Promise<void>} showHistory  draw the earlier rounds
 * @property {(options: AdviceOptions) => Promise<AdvicePanel>} [loadAdvice]  of a game with decisions
 * @property {() => Promise<RoundCheck>} loadCheck  loaded on demand, since most pages never check a round
 *
 * @typedef {{ createView: (context: ViewContext) => GameView }} ViewModule
 */

export {};
