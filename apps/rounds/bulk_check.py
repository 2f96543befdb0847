"""The type of a game's fast check of many rounds: it only finds the rounds that need a full check.

`Explanation.record_check` is the full check, with messages. It must find nothing in a round that the bulk check passes
(tests/contract/test_bulk_check.py).
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID


class RoundScope(NamedTuple):
    """The rounds to check: open ones, and those that ended since `since`, or all if it is None."""

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
    """Rounds whose records may differ from the deal."""


BulkCheck = Callable[[RoundScope], Iterator[CheckedRounds]]
"""Redeals every round of the game in the scope. The caller has opened `one_moment`."""
