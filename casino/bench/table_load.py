"""The clients of the benchmark at tables, in a process of their own: `python -m casino.bench.table_load <what>`."""

import asyncio
import json
import random
import sys
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final
from uuid import uuid4

import uvloop
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from casino.bench.bench_environment import cpu_s
from casino.bench.load import CONNECT_AT_ONCE, Figures, Work, connection_open, figures_of

BROADCAST: Final = '"player_action_broadcast"'
FIRST_ROUND_S: Final = 30


class _TableClient:
    """A client that has logged in, and keeps only those messages that a measurement needs."""

    def __init__(self, link: ClientConnection) -> None:
        self.link = link
        self.answers: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self.heard_at: list[float] = []
        """The times at which broadcasts of actions arrived."""
        self.rounds = 0
        self.count = 0
        """The number of messages."""
        self.on_message: Callable[[dict[str, Any]], None] | None = None

    async def log_in(self, token: str) -> None:
        await self.link.recv()
        await self.send({"type": "authenticate", "token": token})
        answer = json.loads(await self.link.recv())
        assert answer["type"] == "authenticated", answer

    async def read(self) -> None:
        """Read until the connection ends."""
        async for text in self.link:
            self.count += 1
            if BROADCAST in text[:160]:
                self.heard_at.append(time.perf_counter())
                if self.on_message is None:
                    continue
            self._take(json.loads(text))

    def _take(self, message: dict[str, Any]) -> None:
        related = message.get("relatedMessageId")
        if related in self.answers:
            self.answers.pop(related).set_result(message)
        elif message["type"] == "round_result":
            self.rounds += 1
        if self.on_message is not None:
            self.on_message(message)

    async def act(self, table: dict[str, str], payload: dict[str, Any]) -> dict[str, Any]:
        """Submit an action and return its answer."""
        message_id = str(uuid4())
        answer = self.answers[message_id] = asyncio.get_running_loop().create_future()
        await self.send({"type": "submit_action", **table, "payload": payload}, message_id)
        taken: dict[str, Any] = await answer
        return taken

    async def send(self, message: dict[str, Any], message_id: str = "") -> None:
        members = message | {"messageId": message_id or str(uuid4()), "timestamp": 1}
        await self.link.send(json.dumps(members))


async def fan_out(work: Work) -> Figures:
    """Measure the time until every watcher has received one player's action."""
    (actor, *watchers), readers = await _connect_all(work["port"], work["tokens"])
    latencies: list[float] = []
    await asyncio.sleep(1)
    used_s = _used_s(work)
    began = time.perf_counter()
    for number in range(work["actions"]):
        heard = [len(watcher.heard_at) for watcher in watchers]
        sent_at = time.perf_counter()
        while (await actor.act(work["table"], _bet_or_clear(number)))["type"] != "ack":
            await asyncio.sleep(work["every_s"])  # the window has just closed
            sent_at = time.perf_counter()
        while any(len(watcher.heard_at) == count for watcher, count in zip(watchers, heard, strict=True)):  # noqa: ASYNC110
            await asyncio.sleep(0.005)  # the watchers' own tasks note when they hear
        latencies += [watcher.heard_at[count] - sent_at for watcher, count in zip(watchers, heard, strict=True)]
        await asyncio.sleep(work["every_s"])
    lasted = time.perf_counter() - began
    used_s = _used_s(work) - used_s
    await _close([actor, *watchers], readers)
    return figures_of(latencies, lasted, []) | {"deliveries": len(latencies), "used_s": used_s}


async def crowd(work: Work) -> Figures:
    """Measure the time until an action is answered; one seat of each table acts every second, in turn."""
    clients, readers = await _connect_all(work["port"], work["tokens"])
    latencies: list[float] = []
    failures: list[str] = []
    seats = work["seats"]
    used_s = _used_s(work)
    began = time.perf_counter()
    until = began + work["seconds"]

    async def table_play(place: int, table: dict[str, str]) -> None:
        seated = clients[place * seats : (place + 1) * seats]
        due = began + random.random()
        number = 0
        while (due := due + 1) < until:
            await asyncio.sleep(max(0, due - time.perf_counter()))
            sent_at = time.perf_counter()
            answer = await seated[number % seats].act(table, _bet_or_clear(number // seats))
            latencies.append(time.perf_counter() - sent_at)
            if answer["type"] != "ack" and answer["code"] not in ("BETTING_WINDOW_CLOSED", "ROUND_COMPLETE"):
                failures.append(str(answer))
            number += 1

    await asyncio.gather(*(table_play(place, table) for place, table in enumerate(work["tables"])))
    lasted = time.perf_counter() - began
    used_s = _used_s(work) - used_s
    deliveries = sum(client.count for client in clients)
    await _close(clients, readers)
    return figures_of(latencies, lasted, failures) | {"deliveries": deliveries, "used_s": used_s}


async def rounds(work: Work) -> Figures:
    """Play rounds at one blackjack table: all seats stake, send `ready`, and stand."""
    clients, readers = await _connect_all(work["port"], work["tokens"])
    table = work["table"]
    tasks: set[asyncio.Task[Any]] = set()

    def reactions(client: _TableClient) -> Callable[[dict[str, Any]], None]:
        def react(message: dict[str, Any]) -> None:
            if message["type"] == "betting_window_open" and "repeats" not in message:
                task: asyncio.Task[Any] = asyncio.create_task(_stake(client, table))
            elif message["type"] == "game_action_request":
                task = asyncio.create_task(client.act(table, {"action": "stand"}))
            else:
                return
            tasks.add(task)
            task.add_done_callback(tasks.discard)

        return react

    for client in clients:
        client.on_message = reactions(client)
    # The open window was sent during the log-ins, so a whole round is played before the measurement.
    await asyncio.gather(*(_stake(client, table) for client in clients))
    async with asyncio.timeout(work["seconds"] + FIRST_ROUND_S):
        while not clients[0].rounds:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    before = [client.count for client in clients]
    used_s = _used_s(work)
    began = time.perf_counter()
    await asyncio.sleep(work["seconds"])
    lasted = time.perf_counter() - began
    used_s = _used_s(work) - used_s
    played = clients[0].rounds - 1
    deliveries = sum(client.count - count for client, count in zip(clients, before, strict=True))
    for client in clients:
        client.on_message = None
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await _close(clients, readers)
    return figures_of([], lasted, []) | {
        "rounds": played,
        "deliveries": deliveries,
        "used_s": used_s,
    }


async def listen(work: Work) -> Figures:
    """Keep connections open for a time; the server may close some of them."""
    until = time.perf_counter() + work["seconds"]
    clients: list[_TableClient] = []
    readers: list[asyncio.Task[None]] = []
    with suppress(ConnectionClosed):  # the server may be killed before it has answered the last log-in
        clients, readers = await _connect_all(work["port"], work["tokens"])
    await asyncio.sleep(until - time.perf_counter())
    await _close(clients, readers)
    return figures_of([], work["seconds"], [])


async def _stake(client: _TableClient, table: dict[str, str]) -> None:
    await client.act(table, {"action": "place_bet", "amount": 1})
    await client.act(table, {"action": "ready"})


def _used_s(work: Work) -> float:
    """Return the CPU seconds that the measured processes have used so far."""
    return sum(cpu_s(pid) for pid in work["pids"])


def _bet_or_clear(number: int) -> dict[str, Any]:
    if number % 2:
        return {"action": "clear_bets"}
    return {"action": "place_bet", "betType": "player", "amount": 1}


async def _connect_all(port: int, tokens: list[str]) -> tuple[list[_TableClient], list[asyncio.Task[None]]]:
    gate = asyncio.Semaphore(CONNECT_AT_ONCE)

    async def one(token: str) -> _TableClient:
        async with gate:
            client = _TableClient(await connection_open(f"{port}/ws/tables"))
            await client.log_in(token)
            return client

    clients = list(await asyncio.gather(*(one(token) for token in tokens)))
    return clients, [asyncio.ensure_future(client.read()) for client in clients]


async def _close(clients: list[_TableClient], readers: list[asyncio.Task[None]]) -> None:
    await asyncio.gather(*(client.link.close() for client in clients))
    await asyncio.gather(*readers, return_exceptions=True)


KINDS: Final[dict[str, Callable[[Work], Coroutine[Any, Any, Figures]]]] = {
    "fan_out": fan_out,
    "crowd": crowd,
    "rounds": rounds,
    "listen": listen,
}

if __name__ == "__main__":
    asked = json.loads(sys.stdin.readline())
    print(json.dumps(uvloop.run(KINDS[sys.argv[1]](asked))), flush=True)
