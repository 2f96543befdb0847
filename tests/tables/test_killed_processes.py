"""Two processes serve tables while one of them is killed every few seconds: no round is lost, no card is changed.

The short run is one of `make test`; with PUNTO_LONG=1 it is five tables, thirty players and two minutes.
"""

import asyncio
import hashlib
import json
import os
import random
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from websockets.exceptions import ConnectionClosed, InvalidHandshake

from apps.office.proof import proof_run
from apps.rounds.models import Round
from apps.tables.models import GameTable, TableRound, TableSession
from apps.wallet.models import Wallet
from tests.support.server import Server
from tests.support.tables import Message, Seated, players_make, seated, session_make, sit, table_make

IS_LONG = os.environ.get("PUNTO_LONG") == "1"
KILLS = 24 if IS_LONG else 2
KILL_EVERY_S = 5 if IS_LONG else 2
PLAYERS_A_TABLE = 6 if IS_LONG else 3
TABLES: tuple[dict[str, Any], ...] = (
    {"game_type": "blackjack", "currency": "FUN"},
    {"game_type": "baccarat", "currency": "FUN"},
    {"game_type": "blackjack"},
    {"game_type": "dragon_tiger", "currency": "FUN"},
    {"game_type": "blackjack", "currency": "FUN", "rules": {"decks": 1}},
)[: 5 if IS_LONG else 2]
BETS = {
    "blackjack": ({"amount": 10},),
    "baccarat": ({"betType": "player", "amount": 5}, {"betType": "tie", "amount": 1}),
}


@dataclass
class ScriptedPlayer:
    """Plays at one table, and takes its session up again wherever a process is."""

    table: GameTable
    session: TableSession
    token: str
    servers: list[Server]
    chance: random.Random
    frames: list[str] = field(default_factory=list)
    results: dict[str, Message] = field(default_factory=dict)
    reconnections: int = 0
    last_seen: str | None = None

    async def play(self, stop: asyncio.Event) -> None:
        for attempt in count():
            if stop.is_set():
                return
            server = self.servers[attempt % len(self.servers)]
            try:
                async with asyncio.timeout(60), seated(server) as client:
                    await self._log_in(client)
                    await self._react(client, stop)
            except (OSError, ConnectionClosed, InvalidHandshake, AssertionError):
                await asyncio.sleep(0.1)  # the process is being started again

    async def _log_in(self, client: Seated) -> None:
        await client.reconnect(self.token, str(self.session.session_id), self.last_seen)
        self.reconnections += 1

    async def _react(self, client: Seated, stop: asyncio.Event) -> None:
        place = 0
        try:
            while not stop.is_set():
                message = await client.until(lambda _: True)
                place += 1
                self.last_seen = message["messageId"]
                if message["type"] == "betting_window_open":
                    for bet in BETS[self.table.game_type]:
                        await self._send(client, {"action": "place_bet", **bet})
                elif message["type"] == "game_action_request":
                    offered = [action["type"] for action in message["payload"]["availableActions"]]
                    wanted = self.chance.choice([name for name in offered if name in {"hit", "stand"}])
                    await self._send(client, {"action": wanted})
                elif message["type"] == "round_result":
                    self.results[message["payload"]["roundId"]] = message["payload"]
        finally:
            self.frames += client.frames

    async def _send(self, client: Seated, payload: dict[str, Any]) -> None:
        await client.send("submit_action", gameType=self.table.game_type, tableId=str(self.table.pk), payload=payload)


def test_no_round_is_lost_while_processes_are_killed(
    committed: None, shared_server: Server, other_server: Server
) -> None:
    partner, players = players_make(len(TABLES) * PLAYERS_A_TABLE, balance=100_000)
    servers = [shared_server, other_server]
    logged_before = [len(server.log_text) for server in servers]
    scripted = []
    for number, wish in enumerate(TABLES):
        table = table_make(partner, **wish, window_s=1, pause_s=0 if IS_LONG else 1)
        for player in players[number * PLAYERS_A_TABLE : (number + 1) * PLAYERS_A_TABLE]:
            session, token = session_make(player)
            sit(session, table)
            chance = random.Random(player.pk)
            scripted.append(ScriptedPlayer(table, session, token, servers[:: chance.choice([1, -1])], chance))

    async def run() -> None:
        stop = asyncio.Event()
        playing = [asyncio.create_task(one.play(stop)) for one in scripted]
        for turn in range(KILLS):
            await asyncio.sleep(KILL_EVERY_S)
            await asyncio.to_thread(servers[turn % 2].kill)
        # Whoever plays on hears a result of a round that began after the last kill.
        await asyncio.wait_for(results_await(scripted), 60)
        stop.set()
        await asyncio.wait_for(asyncio.gather(*playing), 60)

    asyncio.run(run())
    heard: dict[str, list[Message]] = defaultdict(list)
    for one in scripted:
        assert one.reconnections > 1
        for round_id, result in one.results.items():
            heard[round_id].append(result)
    ended = {str(played.pk): played for played in TableRound.objects.exclude(ending="")}
    for round_id, results in heard.items():
        assert all(result == results[0] for result in results)
        proof = results[0]["fairnessProof"]
        assert proof["serverSeed"] == ended[round_id].seed
        assert hashlib.sha256(proof["serverSeed"].encode()).hexdigest() == ended[round_id].seed_hash
    secrets_search(scripted, list(ended.values()))
    assert set(Round.objects.exclude(how_ended="").values_list("how_ended", flat=True)) <= {"played", "withdrawn"}
    money_check(players)
    assert [(finding.where, finding.what) for finding in proof_run().findings] == []
    lines = [
        line for server, before in zip(servers, logged_before, strict=True)
        for line in server.log_text[before:].splitlines()
    ]  # fmt: skip
    assert [line for line in lines if "deadline_failed" in line or "tables_message_failed" in line] == []


async def results_await(scripted: list[ScriptedPlayer]) -> None:
    """Return when every player has heard of as many rounds again as it takes to be sure of one."""
    before = {id(one): len(one.results) for one in scripted}
    while any(len(one.results) < before[id(one)] + 2 for one in scripted):  # noqa: ASYNC110 - processes are waited for
        await asyncio.sleep(0.1)


def secrets_search(scripted: list[ScriptedPlayer], ended: list[TableRound]) -> None:
    """Expect no seed in any frame but those that reveal it, and no token and no reference of a player anywhere."""
    frames = [frame for one in scripted for frame in one.frames]
    assert len(frames) > 100
    hidden = [one.token for one in scripted] + [f'"{one.session.player.reference}"' for one in scripted]
    text = "\n".join(frames)
    assert not [secret for secret in hidden if secret in text]
    seeds = {played.seed: played for played in ended}
    revealing = {"round_result", "seed_reveal", "reconnect_state", "seed_commitment", "game_state_update"}
    for frame in frames:
        message = json.loads(frame)
        if message["type"] not in revealing:
            assert not [seed for seed in seeds if seed in frame]


def money_check(players: list) -> None:
    """Expect every wallet to hold what its rounds have left of it."""
    for player in players:
        net = sum(
            (row.payout - row.stake for row in Round.objects.filter(player=player)),
            start=Wallet.objects.get(player=player).balance * 0,
        )
        assert Wallet.objects.get(player=player).balance == 100_000 + net
