"""Kills: processes and both databases are ended by SIGKILL in the middle of bets, actions and transfers.

Each client sends a call again under its key until it is answered. Afterwards each key must have moved money once.
"""

import random
import secrets
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from decimal import Decimal
from threading import Event
from typing import Any, Final

from jsonschema.exceptions import ValidationError

from casino.celery import app
from tests.attack.cast import BACCARAT, BET, Cast, Guest
from tests.attack.client import Answer, Caller, NoAnswer, is_try_again
from tests.attack.report import Part
from tests.attack.seats import CLOSED, SEND_AGAIN, Seat, action_data, name_of, seat_link, seated

TARGETS: Final = ("sockets-1", "web-1", "postgres", "redis", "worker")
PATIENCE_S: Final = 180
PAUSE_S: Final = 0.05
BREATH_S: Final = 0.02
"""Between two calls of a client: what is killed shall stand again before everybody's patience ends."""
AMOUNT: Final = Decimal("1.5")
CALLS_BEFORE_A_KILL: Final = 12


@dataclass(slots=True)
class Work:
    """What the clients share: when to stop, how much was answered, where faults go."""

    cast: Cast
    part: Part
    stop: Event = field(default_factory=Event)
    answered: int = 0

    def patience(self) -> Callable[[], None]:
        """Return what waits a moment, and raises AssertionError when that was too often."""
        deadline = time.monotonic() + PATIENCE_S

        def wait() -> None:
            assert time.monotonic() < deadline, "a call is not answered, however often it is sent"
            time.sleep(PAUSE_S)

        return wait


def run(cast: Cast, part: Part, chance: random.Random, scale: float) -> None:
    """Kill each of the targets while everybody plays, and look at each client's money."""
    work = Work(cast, part)
    part.loggers_passed = ("celery.", "channels_redis.")
    kills = [name for _ in range(max(1, round(scale))) for name in chance.sample(TARGETS, len(TARGETS))]
    bettors = [Bettor(work), Bettor(work)]
    clients = [*bettors, Payer(work), Player(work, chance), Player(work, chance)]
    with ThreadPoolExecutor(len(clients)) as pool:
        playing = [pool.submit(client.play) for client in clients]
        try:
            for target in kills:
                _calls_await(work, playing)
                app.send_task(app.conf.beat_schedule["take house snapshots"]["task"])
                cast.stage.kill(target)
                part.saw(f"kill of {target}")
        finally:
            work.stop.set()
    for client in playing:
        client.result()
    for client in clients:
        client.check()


def _calls_await(work: Work, playing: list[Future[None]]) -> None:
    """Return when the clients have been answered a few times more: then some calls are under way."""
    wait = work.patience()
    goal = work.answered + CALLS_BEFORE_A_KILL
    while work.answered < goal and not any(client.done() for client in playing):
        wait()


def answered(work: Work, call: Callable[[], Answer], kind: str) -> Answer:
    """Make a call until it is answered with what it did, or refused for good."""
    wait = work.patience()
    while True:
        try:
            answer = call()
        except NoAnswer:
            work.part.saw(f"{kind}: no answer, sent again")
        else:
            work.part.saw(f"{kind}: {answer.status}")
            if not is_try_again(answer):
                work.answered += 1
                return answer
        wait()


class Bettor:
    """Bets at baccarat, each bet under a key of its own."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.guest = work.cast.guest("100000")
        self.client: Caller = work.cast.player(work.cast.session(self.guest, BACCARAT))
        self.told: dict[str, bytes] = {}

    def play(self) -> None:
        while not self.work.stop.wait(BREATH_S):
            key = secrets.token_hex(8)
            answer = self._bet(key)
            self.work.part.expect(answer.status == 200, f"a bet is answered {answer.status} {answer.text}")
            self.told[key] = answer.body

    def check(self) -> None:
        """Hold what was told against what was dealt; ask a few keys again."""
        part = self.work.part
        with self.work.cast.stage.database() as link:
            dealt = link.execute(
                "SELECT r.id::text FROM game_round r JOIN player p ON p.id = r.player_id WHERE p.reference = %s",
                [self.guest.reference],
            ).fetchall()
        told = [_round_id(body) for body in self.told.values()]
        part.expect(sorted(told) == sorted(row[0] for row in dealt), f"{len(told)} bets told, {len(dealt)} dealt")
        for key in list(self.told)[-5:]:
            part.expect(self._bet(key).body == self.told[key], "a bet is told otherwise when it is asked again")

    def _bet(self, key: str) -> Answer:
        body = {"game_type": 2, "bet_amount": 1}
        return answered(self.work, lambda: self.client.post(BET, body, Idempotency_Key=key), "bet")


class Payer:
    """Moves a player's funds in."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.guest: Guest = work.cast.guest("0")
        self.paid = Decimal(0)

    def play(self) -> None:
        while not self.work.stop.wait(BREATH_S):
            answer = self._deposit(secrets.token_hex(8))
            self.work.part.expect(answer.status == 200, f"a deposit is answered {answer.status} {answer.text}")
            self.paid += AMOUNT

    def _deposit(self, key: str) -> Answer:
        body = {"player": self.guest.reference, "currency": "FUN", "amount": str(AMOUNT), "transaction_id": key}
        system = self.work.cast.systems[self.guest.partner]
        return answered(self.work, lambda: system.post("/v1/wallets/deposit", body, Idempotency_Key=key), "deposit")

    def check(self) -> None:
        balance = self.work.cast.balance(self.guest)
        self.work.part.expect(balance == self.paid, f"{self.paid} were paid in, and {balance} is there")


class Player:
    """Plays blackjack over the socket, and comes back whenever it is lost."""

    def __init__(self, work: Work, chance: random.Random) -> None:
        self.work = work
        self.chance = random.Random(chance.random())
        self.guest, self.token = seated(work.cast, "100000")
        self.bets = 0
        self.seat: Seat | None = None

    def play(self) -> None:
        names: list[str] = []
        while names or not self.work.stop.wait(BREATH_S):
            name = self._choose(names)
            self.bets += name == "Bet"
            answer = self._act(name)
            names = answer.get("data", {}).get("nextActions", [])
        if self.seat is not None:
            self.seat.link.close()

    def check(self) -> None:
        with self.work.cast.stage.database() as link:
            row = link.execute(
                "SELECT count(*), count(*) FILTER (WHERE how_ended = '') FROM game_round r"
                " JOIN player p ON p.id = r.player_id WHERE p.reference = %s",
                [self.guest.reference],
            ).fetchone()
        self.work.part.expect(row == (self.bets, 0), f"{self.bets} bets on rounds were made; dealt and open: {row}")

    def _choose(self, names: list[str]) -> str:
        if not names:
            return "Bet"
        return "Peek" if "Peek" in names else self.chance.choice([n for n in names if n != "Surrender"] or names)

    def _act(self, name: str) -> dict[str, Any]:
        event_id = secrets.token_hex(8)
        wait = self.work.patience()
        while True:
            self.work.stop.wait(BREATH_S)
            answer = self._try(name, event_id)
            if answer is not None and answer.get("code") not in SEND_AGAIN:
                self.work.answered += 1
                self.work.part.expect(answer["eventType"] == "RoundUpdate", f"{name} is answered {answer}")
                return answer
            wait()

    def _try(self, name: str, event_id: str) -> dict[str, Any] | None:
        try:
            answer = self._seated().act(name, action_data(name), event_id=event_id)
        except (*CLOSED, _NotLetIn) as error:
            self.work.part.saw(f"action: {'not let in' if isinstance(error, _NotLetIn) else 'lost'}, sent again")
            self.seat = None
            return None
        except (ValidationError, AssertionError) as error:
            self.work.part.fault(f"a frame that the document does not have: {error}")
            self.seat = None
            return None
        self.work.part.saw(f"action: {name_of(answer)}")
        return answer

    def _seated(self) -> Seat:
        if self.seat is None:
            link = seat_link(self.chance.choice(self.work.cast.stage.sockets), self.token)
            seat = Seat(self.work.cast, link, self.token)
            answer = seat.send("Authenticate")
            if answer.get("code") in SEND_AGAIN:
                link.close()
                raise _NotLetIn
            assert answer.get("authenticated") is True, answer
            self.seat = seat
        return self.seat


class _NotLetIn(Exception):
    """The database is away: another connection, in a moment."""


def _round_id(body: bytes) -> str:
    from apps.core import json

    decoded: Any = json.decode(body)
    return str(decoded["round_id"])
