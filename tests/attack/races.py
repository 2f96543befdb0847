"""Races: calls that want the same thing at the same moment, at different processes."""

import random
import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Barrier
from typing import Any, Final

from tests.attack.cast import BACCARAT, BET, Cast
from tests.attack.client import Answer, Caller, NoAnswer
from tests.attack.report import Part

START_TIMEOUT_S: Final = 60
REFUSALS: Final = {400, 401, 403, 404, 409, 422, 429}


def at_once(calls: Sequence[Callable[[], Any]]) -> list[Any]:
    """Make all of the calls at one moment, a thread each; return what they return, in their order."""
    barrier = Barrier(len(calls))

    def one(call: Callable[[], Any]) -> Any:
        barrier.wait(START_TIMEOUT_S)
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(one, calls))


def races_run(cast: Cast, part: Part, chance: random.Random, rounds: int) -> None:
    """Run each race so many times."""
    for _ in range(rounds):
        one_key_at_all_processes(cast, part, chance)


def one_key_at_all_processes(cast: Cast, part: Part, chance: random.Random) -> None:
    """One bet under one key, sent to every process: it is placed once, and everybody is told the same."""
    guest = cast.guest("100")
    player = cast.player(cast.session(guest, BACCARAT))
    body = {"game_type": chance.randint(1, 3), "bet_amount": 10}
    key = secrets.token_hex(8)
    answers = told(part, "same key", at_once([bet_call(player.at(port), body, key) for port in player.ports * 2]))
    placed = {answer.body for answer in answers if answer.status == 200}
    part.expect(len(placed) == 1, f"one key at all processes: {len(placed)} different bets were placed")
    again = player.patiently(BET, body, Idempotency_Key=key)
    part.expect({again.body} == placed, "one key at all processes: asked again it is answered otherwise")
    rounds = rounds_of(cast, guest)
    part.expect(len(rounds) == 1, f"one key at all processes: {len(rounds)} rounds were dealt")


def bet_call(player: Caller, body: dict[str, Any], key: str = "") -> Callable[[], Answer | None]:
    headers = {"Idempotency_Key": key} if key else {}
    return call_of(lambda: player.post(BET, body, **headers))


def call_of(call: Callable[[], Answer]) -> Callable[[], Answer | None]:
    """Return the call, answering None where nothing came back."""

    def run() -> Answer | None:
        try:
            return call()
        except NoAnswer:
            return None

    return run


def told(part: Part, race: str, answers: Sequence[Answer | None]) -> list[Answer]:
    """Count the answers of a race; whatever is no answer of a call is a fault."""
    for answer in answers:
        if answer is None:
            part.saw(f"{race}: no answer")
            part.fault(f"{race}: a call was not answered")
            continue
        part.saw(f"{race}: {answer.status}")
        if answer.status not in REFUSALS and answer.status not in (200, 201):
            part.fault(f"{race}: {answer.status} {answer.text[:200]}")
    return [answer for answer in answers if answer is not None]


def rounds_of(cast: Cast, guest: Any) -> list[dict[str, Any]]:
    """Return the player's rounds as the partner's system lists them."""
    answer = cast.systems[guest.partner].get(f"/v1/rounds?player={guest.reference}&limit=500")
    rounds: list[dict[str, Any]] = answer.json()["results"]
    return rounds


def money(text: object) -> Decimal:
    return Decimal(str(text))
