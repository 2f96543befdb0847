"""Kills: SIGKILL ends processes, PostgreSQL and Redis in the middle of bets, actions and transfers.

Each client repeats a call under its key until it gets an answer. Afterwards each key must have moved money once.
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
from casino.settings.waits import WAIT_S
from tests.attack.attack_clients import BACCARAT, BET, AttackClients, Guest
from tests.attack.client import Answer, Caller, NoAnswer, is_retryable
from tests.attack.report import Part
from tests.attack.seats import CLOSED, SEND_AGAIN, Seat, action_data, name_of, seat_link, seated

TARGETS: Final = ("sockets-1", "web-1", "postgres", "redis", "worker")
RETRY_PAUSE_S: Final = 0.05
BETWEEN_CALLS_S: Final = 0.02
"""Pause between two calls of a client, so that a killed server has the processor time to start again."""
AMOUNT: Final = Decimal("1.5")
CALLS_BEFORE_A_KILL: Final = 12
CALLS_WHILE_KILLED: Final = 60
"""The most calls that are answered until the killed program serves again. A slow machine needs long for that, and
unlimited calls would slow it down further."""


@dataclass(slots=True)
class Work:
    """What the workers share: the stop event, the number of answers, and the part that collects faults."""

    clients: AttackClients
    part: Part
    stop: Event = field(default_factory=Event)
    answered: int = 0
    most_answered: int = CALLS_WHILE_KILLED
    """The number of answers after which the clients rest until the next kill."""

    def goes_on(self) -> bool:
        """Wait until a client may make its next call; returns False when it is to stop."""
        while not self.stop.wait(BETWEEN_CALLS_S):
            if self.answered < self.most_answered:
                return True
        return False

    def retry_wait(self) -> Callable[[], None]:
        """Return a function that waits for a moment, and raises AssertionError after 2 * WAIT_S seconds."""
        deadline = time.monotonic() + 2 * WAIT_S

        def wait() -> None:
            assert time.monotonic() < deadline, "a call is refused again and again"
            time.sleep(RETRY_PAUSE_S)

        return wait


def run(clients: AttackClients, part: Part, chance: random.Random, scale: float) -> None:
    """Kill each target while all clients play, and check each client's money."""
    work = Work(clients, part)
    part.loggers_passed = ("celery.", "channels_redis.")
    kills = [name for _ in range(max(1, round(scale))) for name in chance.sample(TARGETS, len(TARGETS))]
    bettors = [Bettor(work), Bettor(work)]
    workers = [*bettors, Payer(work), Player(work, chance), Player(work, chance)]
    with ThreadPoolExecutor(len(workers)) as pool:
        playing = [pool.submit(client.play) for client in workers]
        try:
            for target in kills:
                _calls_await(work, playing)
                app.send_task(app.conf.beat_schedule["take house snapshots"]["task"])
                clients.deployment.kill(target)
                part.attempt_add(f"kill of {target}")
        finally:
            work.stop.set()
    for client in playing:
        client.result()
    for client in workers:
        client.check()


def _calls_await(work: Work, playing: list[Future[None]]) -> None:
    """Wait until a few more calls are answered, so that some calls are in flight."""
    wait = work.retry_wait()
    goal = work.answered + CALLS_BEFORE_A_KILL
    work.most_answered = goal + CALLS_WHILE_KILLED
    while work.answered < goal and not any(client.done() for client in playing):
        wait()


def answered(work: Work, call: Callable[[], Answer], kind: str) -> Answer:
    """Repeat a call until it succeeds or is refused for good."""
    wait = work.retry_wait()
    while True:
        try:
            answer = call()
        except NoAnswer:
            work.part.attempt_add(f"{kind}: no answer, sent again")
        else:
            work.part.attempt_add(f"{kind}: {answer.status}")
            if not is_retryable(answer):
                work.answered += 1
                return answer
        wait()


class Bettor:
    """Bets at baccarat, each time under a new key."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.guest = work.clients.guest("100000")
        self.client: Caller = work.clients.player(work.clients.session(self.guest, BACCARAT))
        self.answers: dict[str, bytes] = {}

    def play(self) -> None:
        while self.work.goes_on():
            key = secrets.token_hex(8)
            answer = self._bet(key)
            self.work.part.expect(answer.status == 200, f"a bet is answered {answer.status} {answer.text}")
            self.answers[key] = answer.body

    def check(self) -> None:
        """Compare the answered bets with the dealt rounds, and send a few keys again."""
        part = self.work.part
        with self.work.clients.deployment.database() as link:
            dealt = link.execute(
                "SELECT r.id::text FROM game_round r JOIN player p ON p.id = r.player_id WHERE p.reference = %s",
                [self.guest.reference],
            ).fetchall()
        answered_bets = [_round_id(body) for body in self.answers.values()]
        part.expect(
            sorted(answered_bets) == sorted(row[0] for row in dealt),
            f"{len(answered_bets)} bets answered, {len(dealt)} dealt",
        )
        for key in list(self.answers)[-5:]:
            part.expect(self._bet(key).body == self.answers[key], "a repeated bet has another answer")

    def _bet(self, key: str) -> Answer:
        body = {"game_type": 2, "bet_amount": 1}
        return answered(self.work, lambda: self.client.post(BET, body, Idempotency_Key=key), "bet")


class Payer:
    """Deposits into a player's wallet."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.guest: Guest = work.clients.guest("0")
        self.paid = Decimal(0)

    def play(self) -> None:
        while self.work.goes_on():
            answer = self._deposit(secrets.token_hex(8))
            self.work.part.expect(answer.status == 200, f"a deposit is answered {answer.status} {answer.text}")
            self.paid += AMOUNT

    def _deposit(self, key: str) -> Answer:
        body = {"player": self.guest.reference, "currency": "FUN", "amount": str(AMOUNT), "transaction_id": key}
        system = self.work.clients.systems[self.guest.partner]
        return answered(self.work, lambda: system.post("/v1/wallets/deposit", body, Idempotency_Key=key), "deposit")

    def check(self) -> None:
        balance = self.work.clients.balance(self.guest)
        self.work.part.expect(balance == self.paid, f"{self.paid} were deposited, and the balance is {balance} ")


class Player:
    """Plays blackjack over the socket, and connects again whenever the connection is lost."""

    def __init__(self, work: Work, chance: random.Random) -> None:
        self.work = work
        self.chance = random.Random(chance.random())
        self.guest, self.token = seated(work.clients, "100000")
        self.bets = 0
        self.seat: Seat | None = None

    def play(self) -> None:
        names: list[str] = []
        while names or self.work.goes_on():
            name = self._choose(names)
            self.bets += name == "Bet"
            answer = self._act(name)
            names = answer.get("data", {}).get("nextActions", [])
        if self.seat is not None:
            self.seat.link.close()

    def check(self) -> None:
        with self.work.clients.deployment.database() as link:
            row = link.execute(
                "SELECT count(*), count(*) FILTER (WHERE how_ended = '') FROM game_round r"
                " JOIN player p ON p.id = r.player_id WHERE p.reference = %s",
                [self.guest.reference],
            ).fetchone()
        self.work.part.expect(row == (self.bets, 0), f"{self.bets} bets were made; rounds dealt and open: {row}")

    def _choose(self, names: list[str]) -> str:
        if not names:
            return "Bet"
        return "Peek" if "Peek" in names else self.chance.choice([n for n in names if n != "Surrender"] or names)

    def _act(self, name: str) -> dict[str, Any]:
        event_id = secrets.token_hex(8)
        wait = self.work.retry_wait()
        while True:
            self.work.stop.wait(BETWEEN_CALLS_S)
            answer = self._try(name, event_id)
            if answer is not None and answer.get("code") not in SEND_AGAIN:
                self.work.answered += 1
                self.work.part.expect(answer["eventType"] == "RoundUpdate", f"{name} is answered {answer}")
                return answer
            wait()

    def _try(self, name: str, event_id: str) -> dict[str, Any] | None:
        try:
            answer = self._seated().act(name, action_data(name), event_id=event_id)
        except (*CLOSED, _AuthenticationRefused) as error:
            self.work.part.attempt_add(
                f"action: {'not authenticated' if isinstance(error, _AuthenticationRefused) else 'lost'}, sent again"
            )
            self.seat = None
            return None
        except (ValidationError, AssertionError) as error:
            self.work.part.fault(f"an undocumented frame: {error}")
            self.seat = None
            return None
        self.work.part.attempt_add(f"action: {name_of(answer)}")
        return answer

    def _seated(self) -> Seat:
        if self.seat is None:
            link = seat_link(self.chance.choice(self.work.clients.deployment.sockets), self.token)
            seat = Seat(self.work.clients, link, self.token)
            answer = seat.send("Authenticate")
            if answer.get("code") in SEND_AGAIN:
                link.close()
                raise _AuthenticationRefused
            assert answer.get("authenticated") is True, answer
            self.seat = seat
        return self.seat


class _AuthenticationRefused(Exception):
    """The database is unavailable: the client connects again later."""


def _round_id(body: bytes) -> str:
    from apps.core import json

    decoded: Any = json.decode(body)
    return str(decoded["round_id"])
