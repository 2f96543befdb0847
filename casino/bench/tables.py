"""Tables: what a delivery costs, how many tables a process hosts, what a round of seven costs."""

import asyncio
from collections.abc import Iterator
from statistics import median
from typing import Any, Final
from uuid import uuid4

from casino.bench.bench_environment import SOCKET_PORT, BenchEnvironment, cpu_s
from casino.bench.bench_players import BenchPlayers
from casino.bench.clients import load_run
from casino.bench.report import Table

MODULE: Final = "casino.bench.table_load"
WATCHERS: Final = (0, 50, 500)
TABLES: Final = (1, 25, 100, 200)
SEATS: Final = 5
ROUND_SEATS: Final = 7


def tables_measure(bench: BenchEnvironment, players: BenchPlayers, *, seconds: float) -> Iterator[Table]:
    """Measure all figures of tables and yield their tables."""
    fan_out, delivery_us = _fan_out(bench, seconds)
    yield fan_out
    yield _rounds(bench, players, seconds, delivery_us)
    yield _crowds(bench, seconds)


def _fan_out(bench: BenchEnvironment, seconds: float) -> tuple[Table, float]:
    table = Table("One action told to watchers")
    used: dict[int, tuple[float, int]] = {}
    actions = max(10, int(seconds * 4))
    for watchers in WATCHERS:
        made = _table_make("baccarat", currency="FUN", window_s=60)
        tokens = _sessions_make([made], seated=1, watching=watchers)
        pids = [bench.sockets_pid]
        figures = _run(
            "fan_out", pids=pids, tokens=tokens, table=_address(made), actions=actions, every_s=0.1, seconds=seconds
        )
        used[watchers] = (figures["used_s"], figures["deliveries"])
        if watchers:
            table.row(f"{watchers} watchers: 99th percentile", f"{figures['p99_ms']:.1f} ms")
    alone_s = used[0][0]
    delivery_us = 0.0
    for watchers in WATCHERS[1:]:
        spent, deliveries = used[watchers]
        delivery_us = 1e6 * (spent - alone_s) / deliveries
        table.row(f"{watchers} watchers: CPU a delivery", f"{delivery_us:.0f} us", "goal 60")
    return table, delivery_us


def _crowds(bench: BenchEnvironment, seconds: float) -> Table:
    table = Table(f"Tables of {SEATS} seats in one process, one action a second each")
    for count in TABLES:
        made = [_table_make("baccarat", currency="FUN", window_s=60) for _ in range(count)]
        tokens = _sessions_make(made, seated=SEATS)
        figures = _run(
            "crowd",
            pids=[bench.sockets_pid, bench.postgres_pid],
            tokens=tokens,
            tables=[_address(one) for one in made],
            seats=SEATS,
            seconds=max(10.0, 2 * seconds),
        )
        table.row(
            f"{count} tables, {count * SEATS} players: 99th percentile",
            f"{figures['p99_ms']:.0f} ms",
            f"goal 150 at 100; {1e6 * figures['used_s'] / figures['count']:,.0f} us of server and PostgreSQL an action",
        )
        _tables_close(made)
        if figures["p99_ms"] > 150:
            break
    return table


def _rounds(bench: BenchEnvironment, players: BenchPlayers, seconds: float, delivery_us: float) -> Table:
    solo, together = [], []
    for _ in range(3):
        before = cpu_s(bench.sockets_pid) + cpu_s(bench.postgres_pid)
        played = load_run(
            "actions",
            port=SOCKET_PORT,
            tokens=players.blackjack[:ROUND_SEATS],
            seconds=seconds,
            run=uuid4().hex[:12],
            pace="round",
        )
        solo.append(1e6 * (cpu_s(bench.sockets_pid) + cpu_s(bench.postgres_pid) - before) / played["rounds"])
        made = _table_make("blackjack", currency="FUN", window_s=20, pause_s=0)
        tokens = _sessions_make([made], seated=ROUND_SEATS)
        pids = [bench.sockets_pid, bench.postgres_pid]
        figures = _run("rounds", pids=pids, tokens=tokens, table=_address(made), seconds=2 * seconds)
        spent_us = 1e6 * figures["used_s"]
        together.append((spent_us - delivery_us * figures["deliveries"]) / max(1, figures["rounds"]))
        _tables_close([made])
    table = Table(f"A round of blackjack of {ROUND_SEATS}, deliveries apart (medians)")
    table.row("seven solo rounds", f"{ROUND_SEATS * median(solo):,.0f} us")
    table.row("a table's round", f"{median(together):,.0f} us")
    table.row("ratio", f"{median(together) / (ROUND_SEATS * median(solo)):.2f}", "goal 1.5")
    return table


def _run(kind: str, **work: Any) -> dict[str, Any]:
    return load_run(kind, module=MODULE, port=SOCKET_PORT, **work)


def _table_make(game_type: str, **wish: Any) -> Any:
    from apps.partners.models import Partner
    from apps.tables.rooms import RoomWish, partner_table_create

    made = RoomWish(game_type=game_type, currency_code=wish.pop("currency"), **wish)
    return partner_table_create(partner=Partner.objects.get(slug="bench"), actor="bench", wish=made)


def _sessions_make(tables: list[Any], *, seated: int, watching: int = 0) -> list[str]:
    """Return the tokens of players who have just taken seats, table by table, and of those who watch the last one."""
    from apps.accounts.models import Player
    from apps.core.threads import in_loop
    from apps.tables.models import TableMember
    from apps.tables.services import seat_take
    from apps.tables.sessions import table_session_open

    count = seated * len(tables) + watching
    players = list(Player.objects.filter(partner__slug="bench").order_by("?")[:count])
    opened = [table_session_open(player=player, currency_code="FUN") for player in players]

    async def seats_take(place: int, table: Any) -> None:
        for session, _ in opened[place * seated : (place + 1) * seated]:
            await seat_take(session_id=session.pk, table_id=str(table.pk))

    async def all_seats_take() -> None:
        await asyncio.gather(*[seats_take(place, table) for place, table in enumerate(tables)])

    in_loop(all_seats_take())
    watchers = opened[seated * len(tables) :]
    TableMember.objects.bulk_create(TableMember(table=tables[-1], session=session) for session, _ in watchers)
    return [token for _, token in opened]


def _tables_close(tables: list[Any]) -> None:
    """Have tables stand still, whoever sits there: the next measurement is of others."""
    from apps.tables.models import GameTable

    GameTable.objects.filter(pk__in=[table.pk for table in tables]).update(deadline=None)


def _address(table: Any) -> dict[str, str]:
    return {"gameType": table.game_type, "tableId": str(table.pk)}
