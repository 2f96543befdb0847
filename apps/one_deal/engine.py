"""The bets on one deal: their names, results and payouts. Pure.

A game defines its own bets (a subclass of `BetKind`), how it deals, and when a bet wins.
"""

from collections.abc import Mapping
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from typing import Any, Final, Protocol

import msgspec


class BetKind(IntEnum):
    """A game's bets. Values are the numbers on the wire and in the records' `game_type`."""

    @property
    def wire_name(self) -> str:
        raise NotImplementedError


class ResultType(IntEnum):
    """How a bet ended. Values are the numbers in a record's `result_type`."""

    USER_WIN = 1
    USER_LOST = 2
    DRAW = 3

    @property
    def wire_name(self) -> str:
        return RESULT_NAMES[self]


RESULT_NAMES: Final = {ResultType.USER_WIN: "UserWin", ResultType.USER_LOST: "UserLost", ResultType.DRAW: "Draw"}


class BetResult(msgspec.Struct, frozen=True, gc=False):
    """A settled bet. `payout` includes the stake; it is 0 for a lost bet."""

    game_type: BetKind
    stake: Decimal
    odds: Fraction
    result_type: ResultType
    payout: Decimal


class BetSettle(Protocol):
    """Settles one bet of `stake`, a multiple of `quantum`, at `odds` to 1."""

    def __call__(
        self, outcome: Any, game_type: Any, stake: Decimal, odds: Fraction, *, quantum: Decimal
    ) -> BetResult: ...


def bets_settle(
    settle: BetSettle,
    outcome: Any,
    stakes: Mapping[Any, Decimal],
    odds: Mapping[Any, Fraction],
    *,
    quantum: Decimal,
) -> tuple[BetResult, ...]:
    """Settle every bet on one deal, in the order they were placed."""
    return tuple(
        settle(outcome, game_type, stake, odds[game_type], quantum=quantum) for game_type, stake in stakes.items()
    )
