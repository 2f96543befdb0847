"""Rounding and printing of amounts that are a `Decimal`. Pure.

An engine that counts in whole smallest units rounds payouts down itself (docs/money.md). So does each game's
bundle_rules.py, which must not use this code because it checks it.

An amount is a `Decimal` in units of its currency; a currency's `quantum` is its smallest unit
(0.01 for two decimals). Odds are a `Fraction`, "X to 1".
"""

import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Final, Protocol

MAX_AMOUNT: Final = Decimal("999999999999")
"""The largest whole amount in a `numeric(20, 8)` column."""

_PLAIN: Final = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?")


@lru_cache(maxsize=16)
def quantum_of(decimals: int) -> Decimal:
    """Return the smallest unit of a currency with that many decimals."""
    return Decimal(1).scaleb(-decimals)


def payout(stake: Decimal, odds: Fraction, *, quantum: Decimal) -> Decimal:
    """Return the stake plus `odds` to 1 on it (-1/2 returns half the stake), rounded down to `quantum`.

    `stake` is a multiple of `quantum`; a remainder below one quantum stays with the house.
    """
    units = int(stake / quantum)
    return units * (odds.numerator + odds.denominator) // odds.denominator * quantum


def payout_too_large(balance: Decimal | int, currency: str) -> str:
    """Return why a bet is refused before its cards are known: the balance and its highest payout come to more than
    MAX_AMOUNT. A payout that does not fit could not be booked, and its round would not end."""
    held = f"{plain(Decimal(balance))} {currency}".rstrip()
    return f"the wallet holds {held}, and {MAX_AMOUNT} at most: the payout of this bet might not fit"


def parse_plain(text: str) -> Decimal:
    """Return the amount of a plain decimal text, `52.5`. Raises ValueError for any other.

    Exponents are refused: printing the number `1e-999999999` would fill the memory.
    """
    if not _PLAIN.fullmatch(text):
        raise ValueError("not an amount in plain notation")
    return Decimal(text)


def is_bounded(amount: Decimal) -> bool:
    """Return whether `amount` is finite and its absolute value is not larger than a wallet can hold."""
    # Comparison is safe; arithmetic would overflow with an exponent of millions.
    return amount.is_finite() and -MAX_AMOUNT <= amount <= MAX_AMOUNT


def is_multiple(amount: Decimal, quantum: Decimal) -> bool:
    """Return whether `amount` is finite and has no more decimals than `quantum`."""
    return is_bounded(amount) and amount == amount.quantize(quantum)


def plain(amount: Decimal) -> str:
    """Return the shortest plain decimal text: no exponent, no trailing zeros, no minus before a zero."""
    text = format(amount, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def grouped(amount: Decimal) -> str:
    """Return the plain text with thousands separators: `1,000.5`."""
    whole, point, rest = plain(amount).partition(".")
    return f"{int(whole):,}{point}{rest}"


class CurrencyUnit(Protocol):
    """The part of a currency that is needed to print an amount."""

    code: str
    decimals: int


def amount_text(amount: Decimal | int, currency: CurrencyUnit) -> str:
    """Return an amount for people: all of the currency's decimals, thousands separators, then the code."""
    return f"{amount:,.{currency.decimals}f} {currency.code}"
