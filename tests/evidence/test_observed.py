"""The observed RTP and its error bars, from sums of bets."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest

from apps.evidence.mathematics import Z_95, hits_interval, poisson_interval
from apps.evidence.observed import LuckSums, Sums, lines_compared, one_in, power_text, rtp_observed
from apps.paytables.paytable_rows import PaytableRow

RARE = (PaytableRow("won", Fraction(1, 100), Fraction(90)), PaytableRow("lost", Fraction(99, 100), Fraction(0)))
"""A bet with few expected hits in a thousand rounds."""
VARIANCE = Decimal(81) - Decimal("0.81")
"""The variance of the payout of a stake of 1."""


def sums(*, stakes: dict[int, int], won: dict[int, int]) -> Sums:
    """Return the sums of bets, given the number of bets and of won bets for each stake."""
    squared = sum(stake**2 * n for stake, n in stakes.items())
    n, hits = sum(stakes.values()), sum(won.values())
    return Sums(
        n=n,
        bets=n,
        stake=Decimal(sum(stake * n for stake, n in stakes.items())),
        payout=Decimal(90 * sum(stake * n for stake, n in won.items())),
        stake_squared=Decimal(squared),
        variance=squared * VARIANCE,
        hits=(hits, n - hits),
    )


@pytest.mark.parametrize("won", [{}, {1000: 1}, {1: 9}, {1: 9, 1000: 1}])
def test_the_interval_of_few_hits_with_unequal_stakes_is_around_the_rtp(won: dict[int, int]) -> None:
    """One hit of a high stake moves the RTP, but hardly the share of hits."""
    bets = sums(stakes={1: 990, 1000: 10}, won=won)
    found = rtp_observed({"EUR": bets}, RARE)
    assert found is not None
    assert not found.is_exact
    assert found.low_99 < found.low < found.rtp < found.high < found.high_99
    assert found.half_width == pytest.approx(Z_95 * float(bets.variance) ** 0.5 / float(bets.stake))


def test_the_interval_of_few_hits_with_equal_stakes_is_the_exact_one() -> None:
    found = rtp_observed({"EUR": sums(stakes={5: 1000}, won={5: 3})}, RARE)
    assert found is not None
    low, high = hits_interval(3, 1000)
    assert found.is_exact
    assert (found.low, found.high) == (pytest.approx(90 * low), pytest.approx(90 * high))
    assert found.low < found.rtp < found.high
    assert found.high - found.rtp > 1.5 * (found.rtp - found.low)


def test_the_exact_interval_holds_for_currencies_with_equal_stakes_each() -> None:
    by_currency = {"EUR": sums(stakes={5: 600}, won={5: 1}), "JPY": sums(stakes={700: 400}, won={700: 2})}
    found = rtp_observed(by_currency, RARE)
    assert found is not None
    assert found.is_exact
    assert found.rtp == pytest.approx(3 / 1000 * 90)
    low, high = hits_interval(3, 1000)
    assert (found.low, found.high) == (pytest.approx(90 * low), pytest.approx(90 * high))
    mixed = rtp_observed(by_currency | {"USD": sums(stakes={1: 10, 2: 10}, won={})}, RARE)
    assert mixed is not None
    assert not mixed.is_exact


def test_few_hits_at_tables_have_the_interval_of_the_sum_of_the_rounds_chances() -> None:
    """Each round had chances of its own. Their sum follows from the luck, 3 hits' payouts less what was expected."""
    bets = replace(
        sums(stakes={5: 1000}, won={5: 3}), luck=LuckSums(n=1000, luck=Decimal(3 * 90) - 90 * Decimal("8.5"))
    )
    found = rtp_observed({"EUR": bets}, RARE, is_mixed=True)
    assert found is not None
    low, high = poisson_interval(3)
    assert found.is_exact
    assert (found.low, found.high) == (pytest.approx(90 * low / 1000), pytest.approx(90 * high / 1000))
    assert found.low < found.rtp < found.high
    won, lost = lines_compared(RARE, bets, is_mixed=True)
    assert (won.hits, won.expected, won.low, won.high) == (
        3,
        pytest.approx(8.5),
        pytest.approx(low),
        pytest.approx(high),
    )
    assert (lost.hits, lost.expected) == (997, pytest.approx(991.5))
    often = replace(bets, luck=LuckSums(n=1000, luck=Decimal(3 * 90) - 90 * Decimal("100.5")))
    assert not getattr(rtp_observed({"EUR": often}, RARE, is_mixed=True), "is_exact", True)
    # The luck of some rounds is unknown: the pay table's chance stands for all.
    unknown = replace(bets, luck=LuckSums(n=999))
    assert lines_compared(RARE, unknown, is_mixed=True)[0].expected == pytest.approx(10)


@pytest.mark.parametrize(
    ("log_value", "number", "text"),
    [(-3.0, 1, ""), (20.0, 490_000_000, ""), (21.0, 13 * 10**8, "13 · 10⁸"), (128.77, 84 * 10**54, "84 · 10⁵⁴")],
)
def test_evidence_of_many_digits_is_shown_with_a_power_of_ten(log_value: float, number: int, text: str) -> None:
    assert one_in(log_value) == number
    assert power_text(number) == text
