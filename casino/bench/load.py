"""The clients of the benchmark, in a process of their own: `python -m casino.bench.load <what> ...`.

The module of a part, such as bets.py, chooses the connections and the seconds; clients.py starts this process.
It reads the work as JSON on standard input, and writes the figures as JSON on standard output.
"""

import asyncio
import json
import random
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from itertools import chain, repeat
from typing import Any, Final

import uvloop
from websockets.asyncio.client import ClientConnection, connect

Work = dict[str, Any]
Figures = dict[str, Any]

CONNECT_AT_ONCE: Final = 50


class _HttpClient(asyncio.Protocol):
    """One keep-alive connection: sends a request, waits for the whole answer, and repeats until the time is up."""

    def __init__(self, requests: Iterator[bytes], until: float, latencies: list[float]) -> None:
        self.requests = requests
        self.until = until
        self.latencies = latencies
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.buffer = b""
        self.sent_at = 0.0
        self.failures: list[str] = []

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self._ask()

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, separator, body = self.buffer.partition(b"\r\n\r\n")
        if not separator or len(body) < _content_length(head):
            return
        if not head.startswith(b"HTTP/1.1 200"):
            self.failures.append((head + b" " + body)[:300].decode(errors="replace"))
        self.latencies.append(time.perf_counter() - self.sent_at)
        self.buffer = b""
        self._ask()

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.done.done():
            self.failures.append(f"connection lost: {exc}")
            self.done.set_result(None)

    def _ask(self) -> None:
        self.sent_at = time.perf_counter()
        if self.sent_at >= self.until:
            self.done.set_result(None)
            self.transport.close()
            return
        self.transport.write(next(self.requests))


def _content_length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        if line[:15].lower() == b"content-length:":
            return int(line[15:])
    return 0


async def http(work: Work) -> Figures:
    """POST the same body with the players' credentials, over a number of connections, for a number of seconds.

    A credential is one or more headers. Each is used once, and then they are chosen at random.
    """
    body = work["body"].encode()
    requests = [
        f"{work['method']} {work['path']} HTTP/1.1\r\nHost: 127.0.0.1\r\n{credential}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        + body
        for credential in work["credentials"]
    ]
    order = chain(requests, map(random.choice, repeat(requests)))
    latencies: list[float] = []
    began = time.perf_counter()
    until = began + work["seconds"]
    loop = asyncio.get_running_loop()
    clients = [
        (await loop.create_connection(lambda: _HttpClient(order, until, latencies), "127.0.0.1", work["port"]))[1]
        for _ in range(work["connections"])
    ]
    await asyncio.gather(*(client.done for client in clients))
    failures = [failure for client in clients for failure in client.failures]
    return figures_of(latencies, time.perf_counter() - began, failures)


async def echo(work: Work) -> Figures:
    """Send a message and wait for its echo, over a number of connections, for a number of seconds."""
    latencies: list[float] = []
    text = json.dumps({"eventType": "RoundAction", "action": "Stand", "gameId": "og-blackjack", "eventId": "x" * 12})
    links = [await connection_open(f"{work['port']}/") for _ in range(work["connections"])]
    began = time.perf_counter()
    until = began + work["seconds"]

    async def one(link: ClientConnection) -> None:
        while (sent_at := time.perf_counter()) < until:
            await link.send(text)
            await link.recv()
            latencies.append(time.perf_counter() - sent_at)

    await asyncio.gather(*(one(link) for link in links))
    lasted = time.perf_counter() - began
    await asyncio.gather(*(link.close() for link in links))
    return figures_of(latencies, lasted, [])


async def actions(work: Work) -> Figures:
    """Play blackjack, each connection as a player of its own: at full speed, or `every_s` seconds an action."""
    latencies: list[float] = []
    failures: list[str] = []
    players = await _seat_all(work, work["run"])
    began = time.perf_counter()
    until = began + work["seconds"]
    every_s = work.get("every_s", 0)

    async def one(player: _Player) -> None:
        due = began + random.random() * every_s
        while True:
            if every_s:
                await asyncio.sleep(max(0, due - time.perf_counter()))
                due += every_s
            sent_at = time.perf_counter()
            if sent_at >= until:
                return
            refusal = await player.act()
            latencies.append(time.perf_counter() - sent_at)
            if refusal:
                failures.append(refusal)

    await asyncio.gather(*(one(player) for player in players))
    lasted = time.perf_counter() - began
    await asyncio.gather(*(player.link.close() for player in players))
    rounds = sum(player.rounds for player in players)
    return figures_of(latencies, lasted, failures) | {"rounds": rounds, "rounds_per_s": rounds / lasted}


async def balances(work: Work) -> Figures:
    """Request the balance, each connection as a player of its own, every `every_s` seconds."""
    latencies: list[float] = []
    failures: list[str] = []
    players = await _seat_all(work, "balances")
    began = time.perf_counter()
    until = began + work["seconds"]

    async def one(player: _Player) -> None:
        due = began + random.random() * work["every_s"]
        while (now := time.perf_counter()) < until:
            await asyncio.sleep(max(0, due - now))
            due += work["every_s"]
            sent_at = time.perf_counter()
            refusal = await player.balance()
            latencies.append(time.perf_counter() - sent_at)
            if refusal:
                failures.append(refusal)

    await asyncio.gather(*(one(player) for player in players))
    lasted = time.perf_counter() - began
    await asyncio.gather(*(player.link.close() for player in players))
    return figures_of(latencies, lasted, failures)


async def idle(work: Work) -> Figures:
    """Hold this number of authenticated connections open until a line arrives on standard input."""
    players = await _seat_all(work, "idle")
    print(json.dumps({"connected": len(players)}), flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    return {"connected": len(players)}


class _Player:
    """Plays the first of `nextActions` that ends a round soon, and declines insurance. `pace` is the dealer's pace."""

    def __init__(self, link: ClientConnection, name: str, pace: str) -> None:
        self.link = link
        self.name = name
        self.pace = pace
        self.number = 0
        self.rounds = 0
        """The number of ended rounds."""
        self.next_actions: list[str] = []

    async def authenticate(self) -> None:
        await self._send({"eventType": "Authenticate", "data": {"dealerPace": self.pace}})
        state = await self._send({"eventType": "RoundState", "gameId": "og-blackjack"})
        self.next_actions = state.get("data", {}).get("nextActions", [])

    async def act(self) -> str:
        """Take one action; return the text of a refusal, or nothing."""
        names = self.next_actions
        action = next((name for name in ("Peek", "Stand", "Hit") if name in names), "Bet")
        data = {"Bet": {"betAmount": 1}, "Peek": {"acceptedInsurance": False}}.get(action, {})
        answer = await self._send(
            {"eventType": "RoundAction", "gameId": "og-blackjack", "action": action, "data": data}
        )
        shown = answer.get("data", {})
        self.next_actions = shown.get("nextActions", [])
        self.rounds += shown.get("roundEnded", False)
        return "" if answer["eventType"] == "RoundUpdate" else str(answer)

    async def balance(self) -> str:
        """Request the balance; return the text of a refusal, or nothing."""
        answer = await self._send({"eventType": "GetBalance", "gameId": "og-blackjack", "data": {}})
        return "" if answer["eventType"] == "BalanceUpdate" else str(answer)

    async def _send(self, event: dict[str, Any]) -> dict[str, Any]:
        self.number += 1
        await self.link.send(json.dumps(event | {"eventId": f"{self.name}-{self.number}"}))
        answer: dict[str, Any] = json.loads(await self.link.recv())
        return answer


async def _seat_all(work: Work, name: str) -> list[_Player]:
    """Connect a player with each token. A connection whose authentication fails is closed."""
    gate = asyncio.Semaphore(CONNECT_AT_ONCE)

    async def one(number: int, token: str) -> _Player:
        async with gate:
            link = await connection_open(f"{work['port']}/v1/ws?game_session_id={token}")
            player = _Player(link, f"{name}-{number}", work.get("pace", "card"))
            await player.authenticate()
            return player

    return list(await asyncio.gather(*(one(number, token) for number, token in enumerate(work["tokens"]))))


async def connection_open(address: str) -> ClientConnection:
    """Connect to a port of this machine and a path on it."""
    return await connect(f"ws://127.0.0.1:{address}", compression=None, open_timeout=60, ping_interval=None)


def figures_of(latencies: list[float], lasted: float, failures: list[str]) -> Figures:
    """Return the figures of a load: number, rate, latency."""
    ordered = sorted(latencies) or [0.0]
    return {
        "count": len(latencies),
        "per_s": len(latencies) / lasted,
        "p50_ms": 1000 * ordered[len(ordered) // 2],
        "p99_ms": 1000 * ordered[int(len(ordered) * 0.99)],
        "failures": failures[:5],
        "failed": len(failures),
    }


KINDS: Final[dict[str, Callable[[Work], Coroutine[Any, Any, Figures]]]] = {
    "http": http,
    "echo": echo,
    "actions": actions,
    "balances": balances,
    "idle": idle,
}

if __name__ == "__main__":
    work = json.loads(sys.stdin.readline())
    print(json.dumps(uvloop.run(KINDS[sys.argv[1]](work))), flush=True)
