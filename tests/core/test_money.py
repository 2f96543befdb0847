"""Money is rounded down once, and printed in plain notation."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.core.money import MAX_AMOUNT, is_multiple, parse_plain, payout, plain, quantum_of

units = st.integers(1, 10**12)
decimals = st.integers(0, 8)
odds = st.fractions(0, 1000, max_denominator=10_000)


@pytest.mark.parametrize(("places", "quantum"), [(0, "1"), (2, "0.01"), (8, "0.00000001")])
def test_the_quantum_follows_the_decimals(places: int, quantum: str) -> None:
    assert quantum_of(places) == Decimal(quantum)


@pytest.mark.parametrize(
    ("stake", "to_one", "quantum", "expected"),
    [
        ("10", Fraction(1), "0.01", "20"),
        ("100", Fraction(95, 100), "0.01", "195"),
        ("0.01", Fraction(95, 100), "0.01", "0.01"),
        ("1", Fraction(95, 100), "1", "1"),
        ("3", Fraction(3, 2), "1", "7"),
        ("10", Fraction(0), "0.01", "10"),
        ("0.00000001", Fraction(25), "0.00000001", "0.00000026"),
    ],
)
def test_a_payout_is_stake_and_winnings_rounded_down(stake: str, to_one: Fraction, quantum: str, expected: str) -> None:
    assert payout(Decimal(stake), to_one, quantum=Decimal(quantum)) == Decimal(expected)


@given(units=units, places=decimals, to_one=odds)
def test_a_payout_is_at_most_the_exact_one_and_less_than_a_unit_below(
    units: int, places: int, to_one: Fraction
) -> None:
    quantum = quantum_of(places)
    stake = units * quantum
    exact = Fraction(stake) * (1 + to_one)
    paid = Fraction(payout(stake, to_one, quantum=quantum))
    assert exact - Fraction(quantum) < paid <= exact
    assert is_multiple(payout(stake, to_one, quantum=quantum), quantum) or paid > MAX_AMOUNT


@pytest.mark.parametrize(
    ("amount", "multiple"),
    [
        ("10", True),
        ("10.01", True),
        ("10.010", True),
        ("1E+2", True),
        ("0", True),
        ("-0.01", True),
        ("10.001", False),
        ("1E-3", False),
        ("NaN", False),
        ("Infinity", False),
        ("999999999999", True),
        ("1000000000000", False),
        ("1E+999999", False),
        ("1E+9999999", False),
        ("-1E+9999999", False),
        ("1E-9999999", False),
    ],
)
def test_an_amount_must_be_a_multiple_of_the_quantum(amount: str, multiple: bool) -> None:
    assert is_multiple(Decimal(amount), Decimal("0.01")) is multiple


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("52.50", "52.5"),
        ("105.00", "105"),
        ("0E-8", "0"),
        ("-0.00", "0"),
        ("1E+1", "10"),
        ("100", "100"),
        ("1E-8", "0.00000001"),
        ("-2.50", "-2.5"),
    ],
)
def test_plain_has_no_exponent(amount: str, text: str) -> None:
    assert plain(Decimal(amount)) == text


@pytest.mark.parametrize("text", ["52.5", "0", "-1", "00.10", "999999999999.99999999"])
def test_plain_notation_is_parsed(text: str) -> None:
    assert parse_plain(text) == Decimal(text)


@pytest.mark.parametrize("text", ["", " 5", "1e1", "1e9999999", "1_000", "+1", ".5", "5.", "NaN", "\u0663", "1" * 21])
def test_other_notation_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="plain notation"):
        parse_plain(text)


@given(amount=st.decimals(allow_nan=False, allow_infinity=False, places=8, min_value=-(10**12), max_value=10**12))
def test_plain_is_the_shortest_text_of_the_same_number(amount: Decimal) -> None:
    text = plain(amount)
    assert Decimal(text) == amount
    assert "E" not in text
    assert "." not in text or not text.endswith(("0", "."))
