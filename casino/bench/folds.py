"""The cost of the statistics: the CPU of the fold for each round, and the delay of the statistics behind play."""

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final
from uuid import uuid4

from casino.bench.bench_environment import SOCKET_PORT, BenchEnvironment
from casino.bench.bench_players import BenchPlayers
from casino.bench.clients import bearers, load_run
from casino.bench.costs import Cost, Measured, database_now
from casino.bench.report import Table
from casino.bench.table_rooms import sessions_make, table_address, table_make, tables_stop

GOAL_US: Final = 40
GOAL_WITH_DECISIONS_US: Final = 200
GOAL_AT_TABLE_US: Final = 5_000
BEHIND_GOAL_S: Final = 90
"""The worker's CPU for a round, with PostgreSQL's; and the longest delay of the statistics behind play."""

CONNECTIONS: Final = 16
SEATS: Final = 7
FOLD_EVERY_S: Final = 30
"""The same interval as in `CELERY_BEAT_SCHEDULE`."""
FOLDS: Final = 4
MAX_PLAYS: Final = 600
"""Turns of a kind of play at most."""
_BACCARAT: Final[dict[str, Any]] = {
    "method": "POST", "path": "/api/game/baccarat/bet", "body": '{"game_type": 1, "bet_amount": 1}',
    "connections": CONNECTIONS,
}  # fmt: skip


def folds_measure(bench: BenchEnvironment, players: BenchPlayers, *, rounds: int, seconds: float) -> Iterator[Table]:
    """Play rounds of each kind, and fold each kind by itself; then play on while folds come as in production.

    There are a tenth as many rounds with decisions as without, and a hundredth as many at a table.
    """
    table = Table("The statistics: CPU of Python and of PostgreSQL")
    for name, count, goal_us, play in (
        ("baccarat", rounds, GOAL_US, _baccarat_play),
        ("blackjack, with its decisions", rounds // 10, GOAL_WITH_DECISIONS_US, _blackjack_play),
        (f"a blackjack table, {SEATS} seats each", rounds // 100, GOAL_AT_TABLE_US, _table_play),
    ):
        play(players, 2)
        _fold_measure(bench)  # the computations that a process makes once
        begun = _rounds_ended()
        for _ in range(MAX_PLAYS):
            if _rounds_ended() - begun >= count:
                break
            play(players, seconds)
        cost = _fold_measure(bench, begun)
        table.row(
            f"{cost.count:,} rounds of {name}",
            f"{cost.python_s:,.2f} and {cost.postgres_s:,.2f} s; {cost.each_us:,.0f} us a round",
            f"goal: {goal_us:,} us",
        )
    yield table
    yield _behind(players)


def _baccarat_play(players: BenchPlayers, seconds: float) -> None:
    load_run("http", port=SOCKET_PORT, credentials=bearers(players.baccarat), seconds=seconds, **_BACCARAT)


def _blackjack_play(players: BenchPlayers, seconds: float) -> None:
    load_run(
        "actions", port=SOCKET_PORT, tokens=players.blackjack[:CONNECTIONS], seconds=seconds, run=uuid4().hex[:12],
        pace="round",
    )  # fmt: skip


def _table_play(_players: BenchPlayers, seconds: float) -> None:
    made = table_make("blackjack", currency="FUN", window_s=20, pause_s=0)
    tokens = sessions_make([made], seated=SEATS)
    load_run(
        "rounds", module="casino.bench.table_load", port=SOCKET_PORT, tokens=tokens, table=table_address(made),
        pids=[], seconds=seconds,
    )  # fmt: skip
    tables_stop([made])


def _fold_measure(bench: BenchEnvironment, begun: int = 0) -> Cost:
    """Return the cost of adding all that has been played so far to the statistics; it counts rounds since `begun`."""
    from apps.statistics.services import EDGE_AGE, statistics_fold

    newest = database_now()
    time.sleep(EDGE_AGE.total_seconds() + 0.5)
    with Measured(bench) as measured:
        while (edge := statistics_fold().edge) is None or edge < newest:
            time.sleep(0.2)  # a transaction of the servers holds the edge back
        measured.count = _rounds_ended() - begun
    return measured.cost


def _rounds_ended() -> int:
    """Return the number of ended rounds, each round at a table once."""
    from apps.rounds.models import Round

    ended = Round.objects.exclude(ended_at=None)
    at_tables = ended.exclude(table_round=None).values("table_round").distinct()
    return ended.filter(table_round=None).count() + at_tables.count()


def _behind(players: BenchPlayers) -> Table:
    """Return the delay of the statistics while bets are placed, just before each fold."""
    from apps.statistics.services import statistics_fold

    lasting = FOLD_EVERY_S * FOLDS
    playing = threading.Thread(target=_baccarat_play, args=(players, lasting))
    statistics_fold()
    playing.start()
    behind = []
    for _ in range(FOLDS):
        time.sleep(FOLD_EVERY_S)
        edge: Any = _edge()
        behind.append((datetime.now(UTC) - edge).total_seconds())
        statistics_fold()
    playing.join()
    table = Table(f"The statistics behind play, with a fold every {FOLD_EVERY_S} s")
    table.row("just before a fold, at most", f"{max(behind):,.0f} s", f"goal: {BEHIND_GOAL_S} s")
    return table


def _edge() -> datetime:
    from apps.statistics.models import FoldState

    edge = FoldState.objects.get().edge
    assert edge is not None
    return edge
