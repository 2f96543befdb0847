"""Sums the luck of rounds whose results depend on decisions: computed by their games, and added up by key."""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from math import log1p
from typing import Any, Final
from uuid import UUID

from django.db import connection

from apps.core import json
from apps.rounds.registry import games
from apps.statistics.sums import LUCK, STEPS, luck_rounds_sql

MOST: Final = 50
"""The largest luck, of either sign. With the values of L below, 1 + L x luck is at least a half."""
_HIGHEST: Final = 0.5 / MOST
GRID: Final = tuple(sign * _HIGHEST / 2**step for sign in (1, -1) for step in range(STEPS // 2))
"""The values of L."""
UNIT: Final = Decimal("1e-9")
"""Every figure of a round is rounded to it before it is added, so that the order of adding changes nothing."""
_ROUNDS_AT_ONCE: Final = 500

_Key = tuple[Any, ...]


def luck_json(parameters: Mapping[str, Any]) -> str:
    """Return the rows of `luck_stat` for rounds that ended in a stretch of time, as the statements take them."""
    sql = luck_rounds_sql()
    if not sql:
        return "[]"
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        rows = cursor.fetchall()
    sums: dict[_Key, list[int]] = {}
    walk = iter(rows)
    while some := list(islice(walk, _ROUNDS_AT_ONCE)):
        for key, figures in _figures(some):
            held = sums.setdefault(key, [0] * len(figures))
            for place, figure in enumerate(figures):
                held[place] += figure
    return json.encode([_row(key, figures) for key, figures in sorted(sums.items())]).decode()


def _figures(rows: Sequence[tuple[Any, ...]]) -> Iterable[tuple[_Key, list[int]]]:
    """Yield the key and the figures of each round: how many, luck, its square, what was given away, logarithms."""
    measures = {game.id: game.luck for game in games() if game.luck is not None}
    for game_id, measure in measures.items():
        ids: list[UUID] = list({row[0] for row in rows if row[5] == game_id})
        found = measure.of_rounds(ids) if ids else {}
        for round_id, *key in rows:
            if round_id in found and key[4] == game_id:
                luck, given_away = found[round_id]
                logs = [log1p(value * luck) for value in GRID]
                yield tuple(key), [1, *(round(figure * 10**9) for figure in (luck, luck * luck, given_away, *logs))]


def _row(key: _Key, figures: Sequence[int]) -> dict[str, Any]:
    n, luck, squared, given_away, *logs = figures
    sums = [format(figure * UNIT, "f") for figure in (luck, squared, given_away)]
    return dict(zip(LUCK.columns, (*key, n, *sums, logs), strict=True))
