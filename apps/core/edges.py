"""What the house keeps of a stake, rounded: the one place that does it, half even, once from the exact figure. Pure."""

from collections.abc import Iterable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Final

EDGE_DECIMALS: Final = 8
"""Of an edge as a fraction of the stake; in percent it has two fewer."""

_DIGITS: Final = 40
"""While a root is taken: far more than are kept."""


def edge_rounded(edge: Fraction) -> Decimal:
    """Return the edge with eight decimals."""
    return Decimal(round(edge * 10**EDGE_DECIMALS)).scaleb(-EDGE_DECIMALS)


def edge_pct(edge: Fraction | Decimal) -> Decimal:
    """Return the edge in percent with six decimals; one that was rounded before stays as it is."""
    return edge_rounded(Fraction(edge)).scaleb(2)


def standard_deviation(results: Iterable[tuple[Fraction, Fraction]]) -> Decimal:
    """Return how far a bet's result lies from its mean, with eight decimals.

    `results` are what a stake of 1 may bring, each with its chance: `(odds, chance)` and `(-1, chance)`. The chances
    add up to 1.
    """
    all_results = list(results)
    mean = sum((result * chance for result, chance in all_results), Fraction(0))
    variance = sum((result * result * chance for result, chance in all_results), Fraction(0)) - mean * mean
    with localcontext(prec=_DIGITS):
        root = (Decimal(variance.numerator) / Decimal(variance.denominator)).sqrt()
        return root.quantize(Decimal(1).scaleb(-EDGE_DECIMALS))
