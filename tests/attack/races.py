"""Races: conflicting calls at the same moment, at different processes."""

import random
import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from typing import Any, Final

from casino.settings.waits import WAIT_S
from tests.attack import table_races
from tests.attack.attack_clients import BACCARAT, BET, RIVIERA, AttackClients, Guest
from tests.attack.client import Answer, Caller, NoAnswer
from tests.attack.report import Part

ANSWERS: Final = {200, 201, 302, 400, 403, 404, 409, 422, 429}
"""The documented answers of a call in a race."""
LIMITS: Final = {"currency": "FUN", "bet_min": 1, "bet_max": 1000}
PLAYER_BET: Final = 1

Calls = Sequence[Callable[[], Answer]]


def run(clients: AttackClients, part: Part, chance: random.Random, scale: float) -> None:
    """Run each race several times."""
    every = (
        one_key_at_all_processes, more_bets_than_money, more_withdrawals_than_money, withdrawal_against_bet,
        one_reference_deposited_twice, refilled_twice, seeds_changed_against_bet, limits_changed_against_bet,
        odds_confirmed_against_withdrawn, table_races.two_tabs_at_one_round, table_races.one_event_at_two_tabs,
        table_races.taken_over_against_action, table_races.completed_against_action,
    )  # fmt: skip
    for _ in range(max(1, round(2 * scale))):
        for race in every:
            race(clients, part, chance)


def at_once(part: Part, race: str, calls: Calls) -> list[Answer]:
    """Make all the calls at one moment, each in a thread; return the answers and count them in the part."""
    barrier = Barrier(len(calls))

    def one(call: Callable[[], Answer]) -> Answer | None:
        barrier.wait(WAIT_S)
        try:
            return call()
        except NoAnswer:
            return None

    with ThreadPoolExecutor(len(calls)) as pool:
        answers = list(pool.map(one, calls))
    for answer in answers:
        part.attempt_add(f"{race}: {answer.status if answer else 'no answer'}")
        if answer is None or answer.status not in ANSWERS:
            part.fault(f"{race}: {f'{answer.status} {answer.text}' if answer else 'a call was not answered'}")
    return [answer for answer in answers if answer is not None]


def one_key_at_all_processes(clients: AttackClients, part: Part, chance: random.Random) -> None:
    """One bet under one key, sent to every process, is placed once and has the same answer everywhere."""
    guest, player = bettor(clients, "100")
    body = {"game_type": chance.randint(1, 3), "bet_amount": 10}
    key = secrets.token_hex(8)
    calls = [partial(player.at(port).post, BET, body, Idempotency_Key=key) for port in player.ports * 4]
    placed = {answer.body for answer in at_once(part, "one key", calls) if answer.status == 200}
    again = player.post_with_retries(BET, body, Idempotency_Key=key)
    part.expect(
        placed <= {again.body}, f"one key: {len(placed)} bets were placed, or a later repetition has another answer"
    )
    dealt = len(rounds_of(clients, guest))
    part.expect(dealt == 1, f"one key: {dealt} rounds were dealt")


def more_bets_than_money(clients: AttackClients, part: Part, chance: random.Random) -> None:
    """Different bets of the whole balance: each accepted bet is a round, and no other bet is."""
    guest, player = bettor(clients, "10")
    bodies = [{"game_type": chance.randint(1, 3), "bet_amount": 10} for _ in player.ports * 4]
    calls = [partial(player.at(port).post, BET, body) for port, body in zip(player.ports * 4, bodies, strict=True)]
    answers = at_once(part, "more bets than money", calls)
    taken = [answer for answer in answers if answer.status == 200]
    dealt = len(rounds_of(clients, guest))
    part.expect(len(taken) == dealt, f"more bets than money: {len(taken)} bets were accepted, {dealt} rounds dealt")
    for answer in answers:
        if answer.status == 403:
            part.expect(b"INSUFFICIENT_FUNDS" in answer.body, f"more bets than money: {answer.text}")


def more_withdrawals_than_money(clients: AttackClients, part: Part, _chance: random.Random) -> None:
    """The whole balance is withdrawn at every process: it leaves once."""
    guest = clients.guest("10")
    calls = [transfer(clients, guest, "withdraw", port, secrets.token_hex(8)) for port in clients.deployment.ports * 2]
    paid = [answer for answer in at_once(part, "withdrawals", calls) if answer.status == 200]
    part.expect(len(paid) == 1, f"withdrawals: {len(paid)} of all the money were made")
    part.expect(clients.balance(guest) == 0, f"withdrawals: {clients.balance(guest)} is left")


def withdrawal_against_bet(clients: AttackClients, part: Part, _chance: random.Random) -> None:
    """Money is withdrawn while it is bet: at least one of the two succeeds."""
    guest, player = bettor(clients, "10")
    bets = [partial(player.at(port).post, BET, {"game_type": 3, "bet_amount": 10}) for port in player.ports * 2]
    outs = [transfer(clients, guest, "withdraw", port, secrets.token_hex(8)) for port in clients.deployment.ports]
    answers = at_once(part, "withdrawal and bet", [call for pair in zip(bets, outs, strict=True) for call in pair])
    taken = sum(answer.status == 200 for answer in answers)
    part.expect(taken >= 1, "withdrawal and bet: neither was possible")


def one_reference_deposited_twice(clients: AttackClients, part: Part, _chance: random.Random) -> None:
    """One `transaction_id` under many keys, as deposits and withdrawals, moves money once."""
    guest = clients.guest("5")
    reference = secrets.token_hex(8)
    calls = [transfer(clients, guest, "deposit", port, reference, "5") for port in clients.deployment.ports]
    calls += [transfer(clients, guest, "withdraw", port, reference, "5") for port in clients.deployment.ports]
    paid = [answer for answer in at_once(part, "one reference", calls) if answer.status == 200]
    part.expect(len(paid) == 1, f"one reference: it moved money {len(paid)} times")
    part.expect(clients.balance(guest) in (0, 10), f"one reference: the balance is {clients.balance(guest)}")


def refilled_twice(clients: AttackClients, part: Part, _chance: random.Random) -> None:
    """A wallet of play money that many windows refill at once is refilled once."""
    member = clients.member()
    guest = Guest("house", member.who, "FUN")
    granted = clients.balance(guest)
    transfer(clients, guest, "withdraw", clients.deployment.ports[0], secrets.token_hex(8), str(granted))()
    windows = [member.at(server.port) for server in clients.deployment.web * 3]
    calls = [partial(window.send, "/wallet/refill") for window in windows]
    filled = [answer for answer in at_once(part, "refill", calls) if answer.status == 200]
    part.expect(len(filled) == 1, f"refill: {len(filled)} were had")
    part.expect(clients.balance(guest) == granted, f"refill: the balance is {clients.balance(guest)}")


def seeds_changed_against_bet(clients: AttackClients, part: Part, _chance: random.Random) -> None:
    """Seeds change while bets are dealt: each round has one pair and a nonce of its own."""
    guest, player = bettor(clients, "100")
    path = f"/v1/player/seeds/{player.bearer}"
    changes = [
        partial(player.at(port).post, path, {"clientSeed": secrets.token_hex(4)})
        for port in clients.deployment.ports[:2]
    ]
    bets = [partial(player.at(port).post, BET, {"game_type": 2, "bet_amount": 1}) for port in player.ports * 4]
    answers = at_once(part, "seeds and bet", [*bets, *changes])
    taken = sum(answer.status == 200 for answer in answers[: len(bets)])
    dealt = len(rounds_of(clients, guest))
    part.expect(taken == dealt, f"seeds and bet: {taken} bets were accepted, {dealt} rounds dealt")


def limits_changed_against_bet(clients: AttackClients, part: Part, _chance: random.Random) -> None:
    """Limits and odds change while bets are placed: each bet is settled by one version of them."""
    _, player = bettor(clients, "1000")
    system = clients.systems[RIVIERA]
    narrow = LIMITS | {"bet_max": 20}
    row = {"baccarat_config_id": config_id(clients), "game_type": "BaccaratGameBetOnPlayer", "odds": 0.9}
    changes = [
        partial(system.at(clients.deployment.web[0].port).post, "/api/game/baccarat_config", narrow),
        partial(system.at(clients.deployment.web[1].port).post, "/api/game/baccarat_odds_config", [row]),
    ]
    body = {"game_type": PLAYER_BET, "bet_amount": 50}

    def bets_in_a_row(port: int) -> Answer:
        return [player.at(port).post(BET, body) for _ in range(4)][-1]

    answers = at_once(part, "limits and bet", [*changes, *(partial(bets_in_a_row, port) for port in player.ports * 2)])
    for answer in answers:
        part.expect(answer.status in (200, 403, 409, 429), f"limits and bet: {answer.status} {answer.text}")
    system.post_with_retries("/api/game/baccarat_config", LIMITS)
    system.post_with_retries("/api/game/baccarat_odds_config", [row | {"odds": 1}])
    with clients.deployment.database() as link:
        beyond = link.execute(
            "SELECT r.id FROM baccarat_game_record r WHERE NOT EXISTS (SELECT FROM baccarat_config_history h"
            " WHERE h.id = r.config_id AND h.version = r.config_version"
            " AND r.bet_amount BETWEEN h.bet_min AND h.bet_max)"
        ).fetchall()
    part.expect(not beyond, f"limits and bet: {len(beyond)} bets are beyond the limits of their version: {beyond[:3]}")


def odds_confirmed_against_withdrawn(clients: AttackClients, part: Part, _chance: random.Random) -> None:
    """An operator confirms odds that favour the player, twice, while the partner withdraws them."""
    system, operator = clients.systems[RIVIERA], clients.staff["operator"]
    row = {"baccarat_config_id": config_id(clients), "game_type": "BaccaratGameBetOnPlayer", "odds": 3}
    system.post_with_retries("/api/game/baccarat_odds_config", [row])
    with clients.deployment.database() as link:
        pending = link.execute(
            "SELECT id FROM baccarat_odds_config WHERE baccarat_config_id = %s AND status = 2",
            [row["baccarat_config_id"]],
        ).fetchall()
        part.expect(len(pending) == 1, f"odds: {len(pending)} rows are pending")
        page = f"/admin/baccarat/baccaratoddsconfig/{pending[0][0]}/confirm/"
        entries = "SELECT count(*) FROM audit_entry WHERE action = 'baccarat_odds.confirm'"
        before = link.execute(entries).fetchall()
        calls = [partial(operator.at(server.port).send, page, reason="a race") for server in clients.deployment.web]
        calls.append(
            partial(
                system.at(clients.deployment.web[0].port).post, "/api/game/baccarat_odds_config", [row | {"odds": 1}]
            )
        )
        done = sum(answer.status == 302 for answer in at_once(part, "odds", calls))
        confirmed = link.execute(entries).fetchall()[0][0] - before[0][0]
        active = link.execute(
            "SELECT status, odds FROM baccarat_odds_config WHERE baccarat_config_id = %s AND game_type = 1"
            " AND status > 0",
            [row["baccarat_config_id"]],
        ).fetchall()
    part.expect([status for status, _ in active] == [1], f"odds: active or pending: {active}")
    part.expect(confirmed == done <= 1, f"odds: confirmed {confirmed} times, and {done} audit entries about it")
    system.post_with_retries("/api/game/baccarat_odds_config", [row | {"odds": 1}])


def bettor(clients: AttackClients, balance: str) -> tuple[Guest, Caller]:
    """Return a new player and its baccarat client."""
    guest = clients.guest(balance)
    return guest, clients.player(clients.session(guest, BACCARAT))


def transfer(
    clients: AttackClients, guest: Guest, way: str, port: int, reference: str, amount: str = "10"
) -> Callable[[], Answer]:
    """Return a call that moves a player's funds at one process, under a new key."""
    body = {"player": guest.reference, "currency": guest.currency, "amount": amount, "transaction_id": reference}
    system = clients.systems[guest.partner].at(port)
    return partial(system.post, f"/v1/wallets/{way}", body, idempotency_key=secrets.token_hex(8))


def config_id(clients: AttackClients) -> int:
    """Return the id of riviera's baccarat limits for play money."""
    return next(
        int(row["id"])
        for row in clients.systems[RIVIERA].get("/api/game/baccarat_config").json()
        if row["currency"] == "FUN"
    )


def rounds_of(clients: AttackClients, guest: Guest) -> list[dict[str, Any]]:
    """Return the player's rounds as the partner's system lists them."""
    answer = clients.systems[guest.partner].get(f"/v1/rounds?player={guest.reference}&limit=500")
    rounds: list[dict[str, Any]] = answer.json()["results"]
    return rounds
