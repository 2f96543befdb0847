"""How a game checks many rounds with little: it says which of them need a closer look, and no more.

`Explanation.record_check` looks closer, and says in words what is wrong. A round that the bulk check lets pass must be
one that the closer look finds nothing in (tests/contract/test_bulk_check.py).
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID


class RoundScope(NamedTuple):
    """Which rounds are checked: those that are open, and those that ended since then or, without it, ever."""

    partner_id: int | None = None
    since: datetime | None = None

    def parameters(self) -> dict[str, int | datetime | None]:
        """Return the parameters of `IN_SCOPE_SQL`."""
        return {"partner": self.partner_id, "since": self.since}


IN_SCOPE_SQL: Final = """(
    (held.how_ended = '' OR %(since)s::timestamptz IS NULL OR held.ended_at >= %(since)s)
    AND (%(partner)s::bigint IS NULL OR held.partner_id = %(partner)s)
)"""
"""The condition that a row of `game_round AS held` is in scope."""


class CheckedRounds(NamedTuple):
    """Some of the rounds in scope."""

    checked: int
    doubted: list[UUID]
    """Those that may not be as they were dealt."""


BulkCheck = Callable[[RoundScope], Iterator[CheckedRounds]]
"""Deals every round of the game that is in scope again. The caller has opened `one_moment`."""
