"""Money: the one place that rounds it and prints it. Pure.

An amount is a `Decimal` in units of its currency; a currency's `quantum` is its smallest unit
(0.01 for two decimals). Odds are a `Fraction`, "X to 1".
"""

import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Final, Protocol

MAX_AMOUNT: Final = Decimal("999999999999")
"""The largest amount a `numeric(20, 8)` column holds in whole units."""

_PLAIN: Final = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?")


@lru_cache(maxsize=16)
def quantum_of(decimals: int) -> Decimal:
    """Return the smallest unit of a currency with that many decimals."""
    return Decimal(1).scaleb(-decimals)


def payout(stake: Decimal, odds: Fraction, *, quantum: Decimal) -> Decimal:
    """Return what comes back on a win: the stake and `odds` to 1 on it, cut down to `quantum`.

    `stake` is a multiple of `quantum`; the part below it stays with the house.
    """
    units = int(stake / quantum)
    return units * (odds.numerator + odds.denominator) // odds.denominator * quantum


def parse_plain(text: str) -> Decimal:
    """Return the amount of a plain decimal text, `52.5`. Raises ValueError for any other.

    No exponent is read: `1e-999999999` is a short text, and whoever prints its number fills the memory.
    """
    if not _PLAIN.fullmatch(text):
        raise ValueError("not an amount in plain notation")
    return Decimal(text)


def is_bounded(amount: Decimal) -> bool:
    """Say whether `amount` is finite and no larger than a wallet can hold, whatever its sign."""
    # Compared without arithmetic, which an exponent of millions overflows.
    return amount.is_finite() and -MAX_AMOUNT <= amount <= MAX_AMOUNT


def is_multiple(amount: Decimal, quantum: Decimal) -> bool:
    """Say whether `amount` is finite and has no more decimals than `quantum`."""
    return is_bounded(amount) and amount == amount.quantize(quantum)


def plain(amount: Decimal) -> str:
    """Return the shortest plain decimal text: no exponent, no trailing zeros, no minus before a zero."""
    text = format(amount, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def grouped(amount: Decimal) -> str:
    """Return the plain text for people, thousands apart: `1,000.5`."""
    whole, point, rest = plain(amount).partition(".")
    return f"{int(whole):,}{point}{rest}"


class CurrencyUnit(Protocol):
    """What is asked of a currency to print an amount in it."""

    code: str
    decimals: int


def amount_text(amount: Decimal | int, currency: CurrencyUnit) -> str:
    """Return an amount as people read it: all of the currency's decimals, thousands apart, the code behind."""
    return f"{amount:,.{currency.decimals}f} {currency.code}"
