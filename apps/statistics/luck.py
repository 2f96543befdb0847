"""Sums the luck of rounds whose chances differ from the pay table's: with decisions, and at live tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from math import log1p
from typing import Any, Final
from uuid import UUID

from django.db import connection

from apps.core import json
from apps.rounds.registry import games
from apps.statistics.stretch_sums import luck_rounds_sql, table_results_sql
from apps.statistics.sums import LUCK, STEPS
from apps.statistics.table_luck import table_lucks

MAX_LUCK: Final = 50
"""The largest luck, of either sign. With the values of L below, 1 + L x luck stays well above 0."""
_MAX_L: Final = 0.5 / MAX_LUCK
GRID: Final = tuple(sign * _MAX_L / 2**step for sign in (1, -1) for step in range(STEPS // 2))
"""The values of L."""
UNIT: Final = Decimal("1e-9")
"""The unit to which every figure of a round is rounded before it is added, so that the order of addition changes
nothing."""
_ROUNDS_AT_ONCE: Final = 500

_Key = tuple[Any, ...]


def luck_json(parameters: Mapping[str, Any]) -> str:
    """Return the rows of `luck_stat` for rounds that ended in a period of time, in the form of the statements'
    parameter."""
    sums: dict[_Key, list[int]] = {}
    for key, figures in (*_of_decisions(parameters), *_of_tables(parameters)):
        held = sums.setdefault(key, [0] * len(figures))
        for place, figure in enumerate(figures):
            held[place] += figure
    return json.encode([_row(key, figures) for key, figures in sorted(sums.items())]).decode()


def _of_decisions(parameters: Mapping[str, Any]) -> Iterator[tuple[_Key, list[int]]]:
    """Yield the key and the figures of each solo round of games with decisions."""
    walk = iter(_rows(luck_rounds_sql(), parameters))
    while some := list(islice(walk, _ROUNDS_AT_ONCE)):
        yield from _figures(some)


def _of_tables(parameters: Mapping[str, Any]) -> Iterator[tuple[_Key, list[int]]]:
    """Yield the same for each bet at tables whose chances follow from the cards left."""
    for key, luck in table_lucks(_rows(table_results_sql(), parameters), most=MAX_LUCK):
        yield key, _figures_of(luck, 0.0)


def _rows(sql: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    if not sql:
        return []
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def _figures(rows: Sequence[tuple[Any, ...]]) -> Iterable[tuple[_Key, list[int]]]:
    """Yield the key and the figures of each round: count, luck, its square, loss by decisions, logarithms."""
    measures = {game.id: game.luck for game in games() if game.luck is not None}
    for game_id, measure in measures.items():
        ids: list[UUID] = list({row[0] for row in rows if row[5] == game_id})
        found = measure.of_rounds(ids) if ids else {}
        for round_id, *key in rows:
            if round_id in found and key[4] == game_id:
                yield tuple(key), _figures_of(*found[round_id])


def _figures_of(luck: float, given_away: float) -> list[int]:
    logs = [log1p(value * luck) for value in GRID]
    return [1, *(round(figure * 10**9) for figure in (luck, luck * luck, given_away, *logs))]


def _row(key: _Key, figures: Sequence[int]) -> dict[str, Any]:
    n, luck, squared, given_away, *logs = figures
    sums = [format(figure * UNIT, "f") for figure in (luck, squared, given_away)]
    return dict(zip(LUCK.columns, (*key, n, *sums, logs), strict=True))
