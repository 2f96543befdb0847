// @ts-check
/** The lobby's interface over HTTP: rooms, seats, finished rounds. */

import { Refusal } from "../../portal/js/refusals.js";
import { parseExact } from "../../portal/js/money.js";
import { LoggedOut } from "./credentials.js";
import { writeExact } from "./wire.js";

/** @typedef {Record<string, any>} Json  numbers are texts */

export class TableRest {
  #credentials;

  /** @param {import("./credentials.js").CredentialStore} credentials */
  constructor(credentials) {
    this.#credentials = credentials;
  }

  /** @returns {Promise<{ games: Json[] }>} */
  listGames() {
    return this.#ask("GET", "/api/games");
  }

  /** @returns {Promise<{ rooms: Json[] }>} */
  listRooms() {
    return this.#ask("GET", "/api/lobby");
  }

  /**
   * @param {Json} room
   * @returns {Promise<Json>}
   */
  createRoom(room) {
    return this.#ask("POST", "/api/rooms", room);
  }

  /**
   * Take a seat; the state of the table follows over the socket.
   * @param {string} tableId
   * @param {{ seat?: number, clientSeed?: string }} wish
   * @returns {Promise<Json>}
   */
  takeSeat(tableId, wish) {
    return this.#ask("POST", `/api/rooms/${tableId}/join`, wish);
  }

  /** @param {string} tableId */
  leaveSeat(tableId) {
    return this.#ask("POST", `/api/rooms/${tableId}/leave`);
  }

  /** @param {string} tableId */
  followTable(tableId) {
    return this.#ask("POST", `/api/rooms/${tableId}/watch`);
  }

  /**
   * Return the record with which a finished round can be checked.
   * @param {string} tableId
   * @param {string} roundId
   * @returns {Promise<Json>}
   */
  fetchRound(tableId, roundId) {
    return this.#ask("GET", `/api/rooms/${tableId}/rounds/${roundId}`);
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {Json} [body]
   * @returns {Promise<any>}
   */
  async #ask(method, path, body) {
    try {
      return await this.#askOnce(method, path, body);
    } catch (error) {
      if (error instanceof LoggedOut) return this.#askOnce(method, path, body); // tries to open a new session
      if (error instanceof Refusal) throw error;
      throw new TableRefusal(0, { code: "SERVICE_UNAVAILABLE" });
    }
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {Json} [body]
   */
  async #askOnce(method, path, body) {
    const { token } = await this.#credentials.find();
    const response = await fetch(path, {
      method,
      headers: { Accept: "application/json", "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: method === "GET" ? undefined : writeExact(body ?? {}),
    });
    const answer = parseExact((await response.text()) || "{}");
    if (response.ok) return answer;
    if (response.status === 401) {
      this.#credentials.clear(token);
      throw new LoggedOut();
    }
    throw new TableRefusal(response.status, answer);
  }
}

/** A refusal of the lobby, with the code that names its reason. */
export class TableRefusal extends Refusal {
  /**
   * @param {number} status
   * @param {Json} answer
   */
  constructor(status, { code = "", message = "" }) {
    super(status, message);
    this.code = code;
  }
}
