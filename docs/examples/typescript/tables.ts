// Plays rounds at a table of the lobby with the generated types: stakes the least, says ready, and stands:
//
//     node --experimental-websocket tables.js http://127.0.0.1:8000 <game session's id> blackjack 3
//
// Node 22 and newer have a WebSocket without the option.
import { randomBytes, randomUUID } from "node:crypto";

import { read, write } from "./exact.js";
import { DECIMALS as SOCKET_DECIMALS } from "./punto-socket.js";
import type { components as Socket } from "./punto-socket.js";
import type { components as Http } from "./punto.js";

type Api = Http["schemas"];
type Wire = Socket["schemas"];
type Received = Wire["TableServerMessage"];
type Sent =
  | Wire["Authenticate"]
  | Wire["ClientHeartbeat"]
  | Wire["BlackjackSubmitAction"]
  | Wire["BaccaratSubmitAction"];

async function ask<T>(server: string, token: string, method: "GET" | "POST", path: string, body?: unknown): Promise<T> {
  const answer = await fetch(server + path, {
    method,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: write(body) }),
  });
  const text = await answer.text();
  if (answer.ok) return read<T>(text);
  const refusal = read<Api["Error"]>(text);
  throw new Error(`${refusal.code}: ${refusal.message}`);
}

async function takeSeat(server: string, token: string, game: string): Promise<Api["SeatedRoom"]> {
  const { rooms } = await ask<Api["TableRoomList"]>(server, token, "GET", "/api/lobby");
  const room = rooms.find(({ gameType, currency }) => gameType === game && currency !== null);
  if (!room) throw new Error(`no table of ${game} is open`);
  // What the seat gives to the seeds of its rounds, made after the table has published its own.
  const wish: Api["JoinInput"] = { clientSeed: randomBytes(16).toString("hex") };
  return ask<Api["SeatedRoom"]>(server, token, "POST", `/api/rooms/${room.id}/join`, wish);
}

/** What a client adds to every message: an id of its own, under which it counts once, and the time. */
function head(): { messageId: string; timestamp: number } {
  return { messageId: randomUUID(), timestamp: Date.now() };
}

function atBlackjack(tableId: string, payload: Wire["BlackjackAction"]): Sent {
  return { ...head(), type: "submit_action", gameType: "blackjack", tableId, payload };
}

function atBaccarat(tableId: string, payload: Wire["BaccaratAction"]): Sent {
  return { ...head(), type: "submit_action", gameType: "baccarat", tableId, payload };
}

/** Returns the bets for an open window: the least on the first bet, and that this seat is ready. */
function listBets(message: Received & { type: "betting_window_open" }): Sent[] {
  const { gameType, tableId } = message;
  if (gameType === "blackjack") {
    const offer = message.payload.availableActions.find((each) => each.type === "place_bet");
    if (!offer) return [];
    return [
      atBlackjack(tableId, { action: "place_bet", amount: offer.minAmount }),
      atBlackjack(tableId, { action: "ready" }),
    ];
  }
  if (gameType === "baccarat") {
    const least = message.payload.availableActions.find((each) => each.type === "place_bet")?.betTypes[0];
    if (!least) return [];
    return [
      atBaccarat(tableId, { action: "place_bet", betType: least.betType, amount: least.minAmount }),
      atBaccarat(tableId, { action: "ready" }),
    ];
  }
  return [];
}

/** Returns the answers to a message. Throws for a refusal. */
function listAnswers(message: Received): Sent[] {
  switch (message.type) {
    case "betting_window_open":
      return listBets(message);
    case "game_action_request":
      return message.gameType === "blackjack" ? [atBlackjack(message.tableId, { action: "stand" })] : [];
    case "heartbeat":
      return message.direction === "ping" ? [{ ...head(), type: "heartbeat", direction: "pong" }] : [];
    case "error":
    case "game_error":
      throw new Error(`${message.code}: ${message.message}`);
    default:
      return [];
  }
}

async function play(server: string, session: string, game: string, rounds: number): Promise<void> {
  const { token } = await ask<Api["TableToken"]>(server, session, "POST", "/api/auth/token", {});
  const socket = new WebSocket(`${server.replace("http", "ws")}/ws/tables`);
  const send = (message: Sent): void => socket.send(write(message));
  let left = rounds;
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("error", () => reject(new Error("the connection failed")));
    socket.addEventListener("message", ({ data }) => {
      if (!left) return;
      try {
        const message = read<Received>(String(data), SOCKET_DECIMALS);
        if (message.type === "hello") send({ ...head(), type: "authenticate", token, protocolVersion: "1.0" });
        if (message.type === "authenticated") takeSeat(server, token, game).catch(reject);
        for (const answer of listAnswers(message)) send(answer);
        if (message.type !== "round_result") return;
        const paid = message.payload.results.map(({ stakes, payout, net }) => `stakes ${stakes} payout ${payout} net ${net}`);
        console.log(`round ${message.payload.roundNumber} ${paid.join(" and ")}`);
        left -= 1;
        if (!left) resolve();
      } catch (error) {
        reject(error);
      }
    });
  });
  socket.close();
}

const [server, session, game, rounds] = process.argv.slice(2);
if (!server || !session || !game || !rounds) throw new Error("server, session, game and rounds are expected");
await play(server, session, game, Number(rounds));
