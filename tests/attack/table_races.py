"""Races for one blackjack round: two tabs, two connections of one session, the player and the platform."""

import random
import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, Final

from casino.celery import app
from casino.settings.waits import WAIT_S
from tests.attack.attack_clients import BLACKJACK, AttackClients
from tests.attack.report import Part
from tests.attack.seats import CLOSED, REFUSALS, UNDOCUMENTED, Seat, action_data, name_of, seat_at, seat_link, seated

MAX_TURNS: Final = 60
CLOSE_CODES: Final = (4000, 4001)
COMPLETE_IDLE: Final = "play out idle rounds"

Message = dict[str, Any]


def together(part: Part, race: str, calls: Sequence[Callable[[], Message]]) -> list[Message | None]:
    """Send all the events at one moment; return the answers and count them. None stands for a closed connection."""
    barrier = Barrier(len(calls))

    def one(call: Callable[[], Message]) -> Message | None:
        barrier.wait(WAIT_S)
        try:
            return call()
        except CLOSED as error:
            code = getattr(getattr(error, "rcvd", None), "code", None)
            part.expect(code in CLOSE_CODES, f"{race}: the connection was closed with {code}: {error}")
        except UNDOCUMENTED as error:
            part.fault(f"{race}: an undocumented frame: {error}")
        return None

    with ThreadPoolExecutor(len(calls)) as pool:
        answers = list(pool.map(one, calls))
    for answer in answers:
        name = "closed" if answer is None else name_of(answer)
        part.attempt_add(f"{race}: {name}")
        if answer is not None and "code" in answer and name not in REFUSALS:
            part.fault(f"{race}: {answer}")
    return answers


def two_tabs_at_one_round(clients: AttackClients, part: Part, chance: random.Random) -> None:
    """Two tabs act at the same moment until the round is over."""
    guest, first = seated(clients)
    second = clients.session(guest, BLACKJACK)
    servers = clients.deployment.sockets
    with seat_at(clients, servers[0], first) as one, seat_at(clients, servers[1], second) as two:
        together(part, "two tabs", [_acting(seat, "Bet") for seat in (one, two)])
        for _ in range(MAX_TURNS):
            names = one.next_actions()
            if not names:
                return
            chosen = [chance.choice(names) for _ in range(2)]
            together(part, "two tabs", [_acting(seat, name) for seat, name in zip((one, two), chosen, strict=True)])
    part.fault("two tabs: the round does not end")


def one_event_at_two_tabs(clients: AttackClients, part: Part, _chance: random.Random) -> None:
    """One event under one id, sent in two tabs, happens once and has the same answer in both."""
    guest, first = seated(clients)
    second = clients.session(guest, BLACKJACK)
    servers = clients.deployment.sockets
    with seat_at(clients, servers[0], first) as one, seat_at(clients, servers[1], second) as two:
        event_id = secrets.token_hex(8)
        answers = together(part, "one event", [_acting(seat, "Bet", event_id) for seat in (one, two)])
        told = [answer for answer in answers if answer is not None and "code" not in answer]
        later = one.act_with_retries("Bet", event_id)
        part.expect(all(answer == later for answer in told), f"one event: answered {told}, and later {later}")
        _finish(one, part, "one event")
    staked = len([row for row in _stakes(clients, guest.reference) if row[0] == "bet"])
    part.expect(staked == 1, f"one event: money was staked {staked} times")


def taken_over_against_action(clients: AttackClients, part: Part, _chance: random.Random) -> None:
    """A second connection takes the session over while the first one bets. The bet is then sent again."""
    guest, token = seated(clients)
    event_id = secrets.token_hex(8)
    servers = clients.deployment.sockets
    with seat_at(clients, servers[0], token) as former, seat_link(servers[1], token) as link:
        heir = Seat(clients, link, token)
        together(part, "take-over", [_acting(former, "Bet", event_id), lambda: heir.send("Authenticate")])
        answer = heir.act_with_retries("Bet", event_id)
        part.expect(answer["eventType"] == "RoundUpdate", f"take-over: the repeated bet is answered {answer}")
        _finish(heir, part, "take-over")
    staked = len([row for row in _stakes(clients, guest.reference) if row[0] == "bet"])
    part.expect(staked == 1, f"take-over: money was staked {staked} times")


def completed_against_action(clients: AttackClients, part: Part, _chance: random.Random) -> None:
    """The platform plays out a round that is idle for a day at the moment when its player returns."""
    guest, token = seated(clients)
    with seat_at(clients, clients.deployment.sockets[0], token) as seat:
        answer = seat.act_with_retries("Bet")
        if answer["data"].get("roundEnded"):
            return
        with clients.deployment.database() as link:
            link.execute("SET session_replication_role = replica")  # a trigger refuses to move a round back in time
            link.execute(
                "UPDATE blackjack_round SET acted_at = now() - interval '2 days' WHERE round_id = %s",
                [answer["roundId"]],
            )
        app.send_task(app.conf.beat_schedule[COMPLETE_IDLE]["task"])
        for _ in range(MAX_TURNS):
            names = seat.next_actions()
            if not names:
                break
            together(part, "completed", [_acting(seat, "Stand" if "Stand" in names else names[0])])
        part.expect(not seat.next_actions(), f"completed: the round of {guest.reference} does not end")


def _acting(seat: Seat, name: str, event_id: str = "") -> Callable[[], Message]:
    return lambda: seat.act(name, action_data(name), event_id=event_id)


def _finish(seat: Seat, part: Part, race: str) -> None:
    """Stand, decline and let the dealer draw until the round is over."""
    for _ in range(MAX_TURNS):
        names = seat.next_actions()
        if not names:
            return
        name = next(name for name in ("Peek", "Stand", "Hit") if name in names)
        answer = seat.act_with_retries(name)
        part.expect("code" not in answer, f"{race}: {answer}")
    part.fault(f"{race}: the round does not end")


def _stakes(clients: AttackClients, reference: str) -> list[tuple[Any, ...]]:
    """Return kind and change of the movements in a player's rounds."""
    with clients.deployment.database() as link:
        return link.execute(
            "SELECT t.kind, t.change FROM wallet_transaction t JOIN wallet w ON w.id = t.wallet_id"
            " JOIN player p ON p.id = w.player_id WHERE p.reference = %s AND t.round_id IS NOT NULL"
            " AND t.number = (SELECT min(number) FROM wallet_transaction f WHERE f.round_id = t.round_id)",
            [reference],
        ).fetchall()
