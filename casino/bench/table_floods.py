"""The effect of one hostile client at a table on the others: latency of their actions without and with it, in turns."""

import asyncio
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any, Final

from casino.bench.bench_environment import LIMITED_PORT
from casino.bench.clients import load_run
from casino.bench.report import Table
from casino.bench.table_flooder import KINDS

TABLES: Final = 20
MIN_S: Final = 10.0
"""Each table has one action a second, so a shorter measurement has no 99th percentile."""


def table_floods_measure(*, repetitions: int, seconds: float) -> Table:
    """Measure every kind of attack with the default limits; the hostile client sits at the first table."""
    seconds = max(MIN_S, seconds)
    tables, tokens, hostile = _tables_make()
    addresses = [{"gameType": table.game_type, "tableId": str(table.pk)} for table in tables]

    def latency_ms() -> float:
        figures = load_run(
            "crowd", module="casino.bench.table_load", port=LIMITED_PORT, pids=[], tokens=tokens, tables=addresses,
            seats=1, seconds=seconds,
        )  # fmt: skip
        return float(figures["p99_ms"])

    latency_ms()
    quiet: dict[str, list[float]] = defaultdict(list)
    attacked: dict[str, list[float]] = defaultdict(list)
    for repetition in range(repetitions):
        for number, kind in enumerate(KINDS):
            quiet[kind].append(latency_ms())
            # The server refuses the handshake of an address that has flooded before.
            source = f"127.{repetition + 1}.{number}.2"
            work = {"port": LIMITED_PORT, "token": hostile, "table": addresses[0], "source": source}
            with _hostile_client(kind, **work, seconds=seconds + 1):
                attacked[kind].append(latency_ms())
    table = Table(f"An action at {TABLES} tables beside one hostile client (medians of 99th percentiles)")
    for kind in KINDS:
        ratio = median(after / before for before, after in zip(quiet[kind], attacked[kind], strict=True))
        figures = f"{median(quiet[kind]):.1f} and {median(attacked[kind]):.1f} ms"
        table.row(f"{kind}: without and with", figures, f"{ratio:.2f} times, goal 2")
    return table


@contextmanager
def _hostile_client(kind: str, **work: Any) -> Iterator[None]:
    command = [sys.executable, "-m", "casino.bench.table_flooder", kind]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        child.stdin.write(json.dumps(work) + "\n")
        child.stdin.flush()
        yield
        said, _ = child.communicate(timeout=work["seconds"] + 60)
    counts = json.loads(said)
    if not counts["sent"]:
        raise SystemExit(f"The attack by {kind} sent nothing.")


def _tables_make() -> tuple[list[Any], list[str], str]:
    """Return tables with a player each, the players' tokens, and that of the hostile one at the first table."""
    from apps.accounts.models import Player
    from apps.core.threads import in_loop
    from apps.partners.models import Partner
    from apps.tables.services import seat_take
    from apps.tables.sessions import table_session_open
    from apps.tables.table_creation import RoomOptions, partner_table_create

    partner = Partner.objects.get(slug="bench")
    options = RoomOptions(game_type="baccarat", currency_code="FUN", window_s=60)
    tables = [partner_table_create(partner=partner, actor="bench", options=options) for _ in range(TABLES)]
    players = Player.objects.filter(partner=partner).order_by("?")[: TABLES + 1]
    opened = [table_session_open(player=player, currency_code="FUN") for player in players]

    async def seats_take() -> None:
        seats = zip([*tables, tables[0]], opened, strict=True)
        await asyncio.gather(*[seat_take(session_id=row.pk, table_id=str(table.pk)) for table, (row, _) in seats])

    in_loop(seats_take())
    *tokens, hostile = [token for _, token in opened]
    return tables, tokens, hostile
