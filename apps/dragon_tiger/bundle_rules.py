"""Dragon tiger's rules for a round's bundle: from the cards in dealing order to what a bet pays.

It goes into the bundle as it is, so it needs the standard library alone. A test compares it with the engine.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

_RANKS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]


def payout(cards: Sequence[str], bet: str, stake: Decimal, terms: Mapping[str, Any], quantum: Decimal) -> Decimal:
    """Return what a bet pays, its stake included, cut down to the currency's smallest unit."""
    dragon, tiger = cards
    d, t = _RANKS.index(dragon[1:]), _RANKS.index(tiger[1:])
    wins = {
        "DragonTigerGameBetDragon": d > t,
        "DragonTigerGameBetTiger": t > d,
        "DragonTigerGameBetTie": d == t,
        "DragonTigerGameBetSuitedTie": dragon == tiger,
    }
    units = Fraction(stake) / Fraction(quantum)
    if wins[bet]:
        return int(units * (1 + Fraction(terms["odds"][bet]))) * quantum
    is_side = bet in ("DragonTigerGameBetDragon", "DragonTigerGameBetTiger")
    return int(units / 2) * quantum if is_side and d == t else Decimal(0)
