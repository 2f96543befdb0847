"""A round as whoever played it or answers for it reads it: its bets and its actions, the same for every game.

Amounts are in units of the round's currency; payouts are with the stakes in them. Each game makes these of its own
records (`apps/<game>/explain.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class ExplainedBet:
    """One stake and what became of it. `payout` is 0 and `result` None until that is known."""

    bet: str
    """By its name on the wire."""
    hand: int | None
    """Of a bet that lies on one of several hands, the hand's index."""
    stake: Decimal
    odds: Decimal | None
    """X to 1; None for a bet that pays by its outcome, and has lost."""
    payout: Decimal
    result: str | None


@dataclass(frozen=True, slots=True)
class ExplainedAction:
    """One action, as it might have come over the wire, and the money that it moved."""

    number: int
    by: str
    action: str
    data: Mapping[str, object]
    stake: Decimal
    payout: Decimal
    time: datetime


@dataclass(frozen=True, slots=True)
class Explanation:
    """A round's bets and actions in their order, and its outcome."""

    bets: Sequence[ExplainedBet]
    actions: Sequence[ExplainedAction]
    outcome: Mapping[str, object]
    """The public outcome in the game's own form; empty until the round has been played."""
