"""A client of the table protocol that knows no game and no code of the server.

It reads the served specification of each game in the lobby, checks every frame against it in both directions, learns
its legal actions from `availableActions`, plays, and deals each round again from the revealed values.
"""

import asyncio
import hashlib
import hmac
import json
import random
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from uuid import uuid4

from websockets.asyncio.client import ClientConnection, connect

from casino.settings.waits import WAIT_S
from tests.tables.specification import Specification

ROUND_S = 3
"""The longest that a round may take on a busy machine."""
SUITS = ("hearts", "diamonds", "clubs", "spades")

Json = dict[str, Any]


class Refused(Exception):
    """The server's answer to a call of the lobby."""

    def __init__(self, status: int, body: Json, headers: dict[str, str]) -> None:
        super().__init__(f"{status} {body}")
        self.status, self.code, self.headers = status, body["code"], headers


@dataclass
class Lobby:
    """The lobby's calls over HTTP."""

    url: str
    token: str

    async def call(self, method: str, path: str, body: Json | None = None) -> Any:
        """Return the answer's JSON, or its text if it is not JSON. Raises Refused."""
        return await asyncio.to_thread(self._call, method, path, body)

    def _call(self, method: str, path: str, body: Json | None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=WAIT_S) as response:
                text = response.read().decode()
                is_json = response.headers["Content-Type"].startswith("application/json")
        except urllib.error.HTTPError as error:
            raise Refused(error.code, json.loads(error.read()), dict(error.headers)) from error
        return json.loads(text, parse_float=Decimal) if is_json else text


@dataclass
class OpenTable:
    """The client's state of a table: the state machine of the protocol, and the running round."""

    game_type: str
    state: str = "IDLE"
    seat: int | None = None
    commitment: Json | None = None
    client_seed: str = ""
    results: list[Json] = field(default_factory=list)
    refusals: list[Json] = field(default_factory=list)
    dealt_again: int = 0
    last_seed: str = ""
    chain_first_round: int = 1


class TableClient:
    """One connection. It chooses at random among the offers, with a seed of its own."""

    def __init__(self, lobby: Lobby, link: ClientConnection, *, chance: int) -> None:
        self.lobby = lobby
        self.player_id = ""
        self.tables: dict[str, OpenTable] = {}
        self.types: Counter[str] = Counter()
        self.codes: list[str] = []
        self.specifications: dict[str, Specification] = {}
        self._link = link
        self._chance = random.Random(chance)
        self._sequence = 0
        self._waiting: dict[str, str] = {}
        self._seen: set[str] = set()

    async def open(self) -> None:
        """Read the specifications, and log in."""
        games = (await self.lobby.call("GET", "/api/games"))["games"]
        for game in games:
            text = await self.lobby.call("GET", f"/api/games/{game['gameType']}/spec")
            document = self.specifications[game["gameType"]] = Specification(text)
            assert document.front_matter["gameType"] == game["gameType"]
            assert document.front_matter["version"] == game["specVersion"]
        hello = await self._receive()
        assert (hello["type"], "sequence" in hello) == ("hello", False), hello
        assert sorted(hello["supportedGames"]) == sorted(self.specifications)
        await self._send({"type": "authenticate", "token": self.lobby.token, "protocolVersion": "1.0"})
        answer = await self._receive()
        assert answer["type"] == "authenticated", answer
        self.player_id = answer["playerId"]

    async def join(self, room: Json, **wish: Any) -> None:
        """Take a seat."""
        self.tables[room["id"]] = OpenTable(room["gameType"])
        answer = await self.lobby.call("POST", f"/api/rooms/{room['id']}/join", wish)
        self.tables[room["id"]].seat = answer["seat"]

    async def play(self, table_id: str, rounds: int) -> OpenTable:
        """Play until `rounds` rounds with this client's stakes have ended; it answers all its tables meanwhile."""
        table = self.tables[table_id]
        deadline = time.monotonic() + WAIT_S + rounds * ROUND_S
        while sum(self._is_own(result) for result in table.results) < rounds:
            assert time.monotonic() < deadline, f"{len(table.results)} rounds of {rounds}: {self.types}"
            await self.step()
        return table

    async def record_check(self, table_id: str, result: Json) -> Json:
        """Return the record of a round; fail if it differs from the messages."""
        record: Json = await self.lobby.call("GET", f"/api/rooms/{table_id}/rounds/{result['roundId']}")
        proof = result["fairnessProof"]
        assert (record["roundNumber"], record["ending"]) == (result["roundNumber"], "settled")
        assert (record["seed"], record["clientSeed"]) == (proof["serverSeed"], proof["clientSeed"])
        assert (record["nonce"], record["shoe"]) == (proof["nonce"], proof["shoe"])
        assert hashlib.sha256(record["seed"].encode()).hexdigest() == record["seedHash"]
        assert record["clientSeed"] == "|".join(part["clientSeed"] for part in record["contributions"])
        assert record["results"] == result["results"]
        assert {stake["seat"] for stake in record["stakes"]} == {row["seat"] for row in result["results"]}
        return record

    async def step(self) -> Json:
        """Receive one message, and answer it."""
        message = await self._receive()
        await self._answer(message)
        return message

    def _is_own(self, result: Json) -> bool:
        return any(row["playerId"] == self.player_id for row in result["results"])

    async def _receive(self) -> Json:
        async with asyncio.timeout(WAIT_S):
            text = await self._link.recv()
        message: Json = json.loads(text, parse_float=Decimal)
        self._check(message)
        return message

    def _check(self, message: Json) -> None:
        """Fail if a frame does not fit the documents."""
        kind = message["type"]
        self.types[kind] += 1
        any_specification = next(iter(self.specifications.values()))
        self.specifications.get(message.get("gameType", ""), any_specification).check(message)
        assert message["messageId"] not in self._seen, f"one id twice: {message}"
        self._seen.add(message["messageId"])
        if kind != "hello":
            assert "sequence" in message, message
            assert not self._sequence or message["sequence"] == self._sequence + 1, message
            self._sequence = message["sequence"]

    async def _send(self, members: Json) -> str:
        message = {"messageId": str(uuid4()), "timestamp": int(time.time() * 1000), **members}
        game_type = members.get("gameType") or next(iter(self.specifications))
        self.specifications[game_type].check(message, sender="ClientMessage")
        await self._link.send(json.dumps(message, default=_number))
        return str(message["messageId"])

    async def _answer(self, message: Json) -> None:
        """Advance the table's state machine."""
        table = self.tables.get(message.get("tableId", ""))
        match message["type"]:
            case "heartbeat" if message["direction"] == "ping":
                await self._send({"type": "heartbeat", "direction": "pong"})
            case "ack":
                del self._waiting[message["relatedMessageId"]]
            case "error":
                self.codes.append(message["code"])
                self._waiting.pop(message.get("relatedMessageId", ""), None)
            case _ if table is not None:
                await self._table_answer(table, message)

    async def _table_answer(self, table: OpenTable, message: Json) -> None:
        payload = message.get("payload", {})
        match message["type"]:
            case "seed_commitment":
                # Each seed is the hash of the next one, so no seed can be chosen after the chain was committed to.
                assert table.last_seed in ("", message["seedHash"]) or message["nonce"] == table.chain_first_round
                table.commitment = message
            case "game_state_update":
                table.chain_first_round = payload["chainFirstRound"]
            case "betting_window_open":
                table.state = "BETTING"
                table.client_seed = "|".join(part["clientSeed"] for part in payload["contributions"])
                await self._bet(message)
            case "betting_window_closed":
                table.state = "IDLE"
            case "game_action_request":
                table.state = "DECIDING"
                await self._submit(message, self._choose(payload["availableActions"]))
                table.state = "IDLE"
            case "round_result":
                table.results.append(payload)
                self._deal_check(table, payload)
            case "seed_reveal":
                self._seed_check(table, message)
            case "game_error":
                table.refusals.append(message)
                self._waiting.pop(message.get("relatedMessageId", ""), None)

    async def _bet(self, message: Json) -> None:
        offers = {offer["type"]: offer for offer in message["payload"]["availableActions"]}
        for _ in range(self._chance.randint(1, 2)):
            await self._submit(message, self._stake(offers["place_bet"]))
        if self._chance.random() < 0.1:
            await self._submit(message, {"action": "clear_bets"})
            await self._submit(message, self._stake(offers["place_bet"]))
        if self._chance.random() < 0.1:
            await self._submit(message, {"action": "no_bet"})
        await self._submit(message, {"action": "ready"})

    def _stake(self, offer: Json) -> Json:
        """Return a stake near the lowest one, so that the money lasts."""
        if "betTypes" in offer:
            bet = self._chance.choice(offer["betTypes"])
            return {"action": "place_bet", "betType": bet["betType"], "amount": bet["minAmount"]}
        steps = self._chance.randint(0, 3)
        amount = min(offer["minAmount"] + steps * offer.get("step", 1), offer["maxAmount"])
        return {"action": "place_bet", "amount": amount}

    def _choose(self, offers: list[Json]) -> Json:
        offer = self._chance.choice(offers)
        chosen = {"action": offer["type"]}
        if "minAmount" in offer and self._chance.random() < 0.5 and offer["type"] == "insurance":
            chosen["amount"] = offer["minAmount"]
        return chosen

    async def _submit(self, message: Json, payload: Json) -> None:
        sent = await self._send(
            {
                "type": "submit_action",
                "gameType": message["gameType"],
                "tableId": message["tableId"],
                "protocolVersion": "1.0",
                "payload": payload,
            }
        )
        self._waiting[sent] = payload["action"]

    def _seed_check(self, table: OpenTable, message: Json) -> None:
        if table.commitment is not None and message["handId"] == table.commitment["handId"]:
            assert hashlib.sha256(message["seed"].encode()).hexdigest() == table.commitment["seedHash"]
            table.last_seed = message["seed"]

    def _deal_check(self, table: OpenTable, result: Json) -> None:
        """Deal the round again as the specification's Fairness section says, and compare the cards."""
        proof = result["fairnessProof"]
        if table.commitment is None or table.commitment["handId"] != result["roundId"]:
            return  # the round was already running when this client came
        assert proof["shoe"] == table.commitment["shoe"]
        assert proof["nonce"] == table.commitment["nonce"]
        if table.client_seed or not proof["clientSeed"]:
            assert proof["clientSeed"] == table.client_seed
        shown = [SUITS.index(card["suit"]) * 13 + card["rank"] - 1 for card in _cards(result)]
        dealt = _dealt(proof["serverSeed"], proof["clientSeed"], proof["nonce"], proof["shoe"], len(shown))
        assert Counter(dealt) == Counter(shown), (dealt, shown)
        table.dealt_again += 1


def _cards(value: Any) -> Iterator[Json]:
    if isinstance(value, list):
        for member in value:
            yield from _cards(member)
    elif isinstance(value, dict):
        if value.keys() == {"suit", "rank"}:
            yield value
        for member in value.values():
            yield from _cards(member)


def _dealt(seed: str, client_seed: str, nonce: int, counts: list[int] | None, cards: int) -> list[int]:
    """Return the first cards of a round, 0 to 51."""
    integers = _integers(seed, client_seed, nonce)
    if counts is None:
        return [_below(integers, 52) for _ in range(cards)]
    shoe = [face for laid in range(max(counts)) for face in range(52) if counts[face] > laid]
    dealt: list[int] = []
    while len(dealt) < cards:
        assert shoe, "refilled"
        place = _below(integers, len(shoe))
        dealt.append(shoe[place])
        shoe[place] = shoe[-1]
        shoe.pop()
    return dealt


def _integers(seed: str, client_seed: str, nonce: int) -> Iterator[int]:
    block = 0
    while True:
        digest = hmac.digest(seed.encode(), f"{client_seed}:{nonce}:{block}".encode(), "sha256")
        yield from (int.from_bytes(digest[place : place + 4], "big") for place in range(0, 32, 4))
        block += 1


def _below(integers: Iterator[int], n: int) -> int:
    while True:
        product = next(integers) * n
        if product % 2**32 >= 2**32 % n:
            return product >> 32


def _number(value: object) -> float:
    assert isinstance(value, Decimal)
    return float(value)


@asynccontextmanager
async def table_client(url: str, token: str, *, chance: int) -> AsyncIterator[TableClient]:
    """Connect to a server, read its specifications, and log in."""
    socket_url = url.replace("http", "ws", 1) + "/ws/tables"
    async with connect(socket_url, max_size=2**17, open_timeout=WAIT_S, close_timeout=5) as link:
        client = TableClient(Lobby(url, token), link, chance=chance)
        await client.open()
        yield client
