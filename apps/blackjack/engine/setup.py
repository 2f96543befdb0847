"""The setup of a round. With the shoe and the actions it is enough for a replay. Pure."""

from collections.abc import Mapping
from fractions import Fraction
from math import ceil

import msgspec

from apps.blackjack.engine.rules import MAX_SPLITS, BlackjackRules
from apps.blackjack.engine.side_bets import STANDARD_ODDS, SideBetOutcome
from apps.blackjack.engine.state import MAX_SEATS, Pace


class StakesError(ValueError):
    """The stakes are invalid; the message says which."""


class SeatStakes(msgspec.Struct, frozen=True, gc=False):
    """A seat's stakes before the deal in smallest units; a `main` of 0 is free play."""

    main: int
    perfect_pairs: int = 0
    poker: int = 0


def highest_payout(stakes: SeatStakes, odds: Mapping[SideBetOutcome, Fraction]) -> int:
    """Return an upper bound of a seat's payout, in smallest units: every hand after all splits is doubled and wins, and
    both side bets have the highest odds."""
    sides = (stakes.perfect_pairs + stakes.poker) * (max(odds.values(), default=Fraction(0)) + 1)
    return 2 * 2 * (MAX_SPLITS + 1) * stakes.main + ceil(sides)


class RoundSetup(msgspec.Struct, frozen=True, gc=False):
    """Rules, stakes by seat, side-bet odds and pace of a round. Raises StakesError."""

    rules: BlackjackRules
    stakes: tuple[SeatStakes, ...]
    pace: Pace = Pace.SOLO
    odds: Mapping[SideBetOutcome, Fraction] = STANDARD_ODDS

    def __post_init__(self) -> None:
        if not 1 <= len(self.stakes) <= MAX_SEATS:
            raise StakesError(f"{len(self.stakes)} seats; 1 to {MAX_SEATS} are possible")
        for stakes in self.stakes:
            if min(stakes.main, stakes.perfect_pairs, stakes.poker) < 0:
                raise StakesError("a stake is below 0")
            has_side_bet = stakes.perfect_pairs > 0 or stakes.poker > 0
            if has_side_bet and stakes.main == 0:
                raise StakesError("a side bet needs a main stake above 0")
            if has_side_bet and self.rules.simple:
                raise StakesError("simple rules have no side bets")
