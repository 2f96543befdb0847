// Places one baccarat bet and prints what came back, exactly:
//
//     node baccarat.js http://127.0.0.1:8000 <game session's id> 10.25
import { randomUUID } from "node:crypto";
import { LosslessNumber } from "lossless-json";

import { read, write } from "./exact.js";
import type { components } from "./punto.js";

type Schemas = components["schemas"];

async function bet(server: string, session: string, stake: LosslessNumber): Promise<Schemas["BaccaratBetPlaced"]> {
  const body: Schemas["BaccaratBet"] = { game_type: 2, bet_amount: stake };
  const answer = await fetch(`${server}/api/game/baccarat/bet`, {
    method: "POST",
    // The same key again gets the same answer, and one bet: a request that was lost may be sent again.
    headers: { Authorization: `Bearer ${session}`, "Idempotency-Key": randomUUID() },
    body: write(body),
  });
  const text = await answer.text();
  if (!answer.ok) {
    const refusal = read<Schemas["Error"]>(text);
    throw new Error(`${refusal.code}: ${refusal.message}`);
  }
  return read<Schemas["BaccaratBetPlaced"]>(text);
}

const [server, session, stake] = process.argv.slice(2);
if (!server || !session || !stake) throw new Error("server, session and stake are expected");
const placed = await bet(server, session, new LosslessNumber(stake));
const results: Record<Schemas["ResultType"], string> = { 1: "won", 2: "lost", 3: "push" };
console.log(`${results[placed.result_type]} stake ${placed.bet_amount} back ${placed.reward_amount} balance ${placed.balance}`);
