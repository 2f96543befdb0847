"""Rounding of house edges: half even, once, from the exact figure. Only this module rounds them. Pure."""

from collections.abc import Iterable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Final

EDGE_DECIMALS: Final = 8
"""Decimals of an edge as a fraction of the stake; in percent there are two fewer."""

_DIGITS: Final = 40
"""Digits during the computation of a root, many more than are kept."""


def edge_rounded(edge: Fraction) -> Decimal:
    """Return the edge with eight decimals."""
    return fraction_rounded(edge, EDGE_DECIMALS)


def fraction_rounded(value: Fraction, decimals: int) -> Decimal:
    """Return the value with that many decimals, rounded half even."""
    return Decimal(round(value * 10**decimals)).scaleb(-decimals)


def edge_pct(edge: Fraction | Decimal) -> Decimal:
    """Return the edge in percent with six decimals; a rounded edge is not rounded again."""
    return edge_rounded(Fraction(edge)).scaleb(2)


def standard_deviation(results: Iterable[tuple[Fraction, Fraction]], *, decimals: int = EDGE_DECIMALS) -> Decimal:
    """Return the standard deviation of a bet's result.

    `results` are the results of a stake of 1 with their probabilities: `(odds, probability)` and `(-1, probability)`.
    The probabilities sum to 1.
    """
    all_results = list(results)
    mean = sum((result * chance for result, chance in all_results), Fraction(0))
    variance = sum((result * result * chance for result, chance in all_results), Fraction(0)) - mean * mean
    with localcontext(prec=_DIGITS):
        root = (Decimal(variance.numerator) / Decimal(variance.denominator)).sqrt()
        return root.quantize(Decimal(1).scaleb(-decimals))
