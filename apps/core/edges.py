"""What the house keeps of a stake, rounded: the one place that does it, half even, once from the exact figure. Pure."""

from decimal import Decimal
from fractions import Fraction
from typing import Final

EDGE_DECIMALS: Final = 8
"""Of an edge as a fraction of the stake; in percent it has two fewer."""


def edge_rounded(edge: Fraction) -> Decimal:
    """Return the edge with eight decimals."""
    return Decimal(round(edge * 10**EDGE_DECIMALS)).scaleb(-EDGE_DECIMALS)


def edge_pct(edge: Fraction | Decimal) -> Decimal:
    """Return the edge in percent with six decimals; one that was rounded before stays as it is."""
    return edge_rounded(Fraction(edge)).scaleb(2)
