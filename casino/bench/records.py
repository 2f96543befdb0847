"""The effect of a million game records on the latency of a bet and of the back office's list."""

from dataclasses import dataclass
from statistics import median
from typing import Any, Final

import psycopg

from casino.bench.bench_environment import SOCKET_PORT, BenchEnvironment
from casino.bench.bench_players import BenchPlayers
from casino.bench.clients import bearers, load_run
from casino.bench.report import Table

GOAL: Final = 1.5
BATCH: Final = 50_000

_ROUNDS: Final = """
WITH pair AS (SELECT id, player_id FROM seed_pair WHERE status = 'active' ORDER BY id LIMIT 1000),
one AS (
    SELECT n, p.id AS pair_id, p.player_id, gen_random_uuid() AS round_id, w.partner_id,
           now() - interval '1 second' * (%(to)s - n) AS at
    FROM generate_series(%(from)s, %(to)s - 1) n
    JOIN (SELECT row_number() OVER (ORDER BY id) - 1 AS place, id, player_id FROM pair) p ON p.place = n %% 1000
    JOIN player w ON w.id = p.player_id
), round AS (
    INSERT INTO game_round (id, partner_id, player_id, currency_id, game, started_at, ended_at, how_ended,
        seed_pair_id, nonce, config_version, terms, detail, stake, payout, balance_before, balance_after)
    SELECT round_id, partner_id, player_id, 'FUN', 'og-baccarat', at, at, 'played', pair_id, 1000000000 + n, 1,
        '{}', '{}', 1, 2, 10, 11 FROM one
)
INSERT INTO baccarat_game_record (ctime, user_id, partner_id, currency_id, round_id, game_type, bet_amount, odds,
    result_type, reward_amount, player_cards, banker_cards, seed_pair_id, nonce, config_id, config_version)
SELECT at, player_id, partner_id, 'FUN', round_id, 1, 1, 1, 1, 2, '{H1,H8}', '{S2,S3,S4}', pair_id, 1000000000 + n,
    (SELECT min(id) FROM baccarat_config), 1 FROM one
"""


@dataclass(frozen=True, slots=True)
class Latency:
    """Medians in milliseconds with one connection, as a user sees them."""

    bet_ms: float
    lists_ms: dict[str, float]


def records_measure(
    bench: BenchEnvironment, players: BenchPlayers, *, records: int, repetitions: int, seconds: float
) -> Table:
    """Measure, write the records, measure again."""
    pages = _Pages()
    _measure(players, pages, 1, min(2, seconds))
    before = _measure(players, pages, repetitions, seconds)
    _fill(bench, records)
    _measure(players, pages, 1, min(2, seconds))
    after = _measure(players, pages, repetitions, seconds)
    table = Table(f"With {records:,} additional game records (medians, one connection)")
    table.row("a bet, before and after", _pair(before.bet_ms, after.bet_ms), f"goal: at most {GOAL} times")
    for name, ms in before.lists_ms.items():
        table.row(f"{name}, before and after", _pair(ms, after.lists_ms[name]))
    return table


def _pair(before: float, after: float) -> str:
    return f"{before:.1f} and {after:.1f} ms: {after / before:.2f} times"


class _Pages:
    """The record list as an operator requests it, by Django's test client, so that only the server's time counts."""

    ADDRESSES: Final = {
        "record list": "/admin/baccarat/baccaratgamerecord/",
        "record list of one bet": "/admin/baccarat/baccaratgamerecord/?game_type__exact=1",
        "record list, won bets": "/admin/baccarat/baccaratgamerecord/?result_type__exact=1",
    }

    def __init__(self) -> None:
        from django.test import Client

        from apps.accounts.models import Role, User

        self.client: Any = Client(headers={"host": "localhost"})
        operator = User.objects.create(username="bench-operator", role=Role.OPERATOR, is_staff=True)
        self.client.force_login(operator, backend="django.contrib.auth.backends.ModelBackend")

    def measure_ms(self, repetitions: int) -> dict[str, float]:
        """Return the medians."""
        import time

        times: dict[str, list[float]] = {name: [] for name in self.ADDRESSES}
        for _ in range(max(3, repetitions)):
            for name, address in self.ADDRESSES.items():
                began = time.perf_counter()
                answer = self.client.get(address)
                times[name].append(1000 * (time.perf_counter() - began))
                if answer.status_code != 200:
                    raise SystemExit(f"{address} answered {answer.status_code}")
        return {name: median(values) for name, values in times.items()}


def _measure(players: BenchPlayers, pages: _Pages, repetitions: int, seconds: float) -> Latency:
    bets = [
        load_run(
            "http", port=SOCKET_PORT, method="POST", path="/api/game/baccarat/bet",
            body='{"game_type": 1, "bet_amount": 1}', credentials=bearers(players.baccarat),
            connections=1, seconds=seconds,
        )["p50_ms"]
        for _ in range(repetitions)
    ]  # fmt: skip
    return Latency(median(bets), pages.measure_ms(repetitions))


def _fill(bench: BenchEnvironment, records: int) -> None:
    """Write the records as the superuser, without triggers, and analyse the tables."""
    with psycopg.connect(bench.superuser_url, autocommit=True) as link:
        link.execute("SET session_replication_role = replica")
        for first in range(0, records, BATCH):
            link.execute(_ROUNDS, {"from": first, "to": min(first + BATCH, records)})
        link.execute("VACUUM ANALYZE")
