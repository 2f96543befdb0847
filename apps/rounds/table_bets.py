"""Readers that the games at tables share: actions, stakes, odds and edges. Pure."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import msgspec

from apps.cards.shoe import INFINITE_DECKS
from apps.core.edge_rounding import edge_pct
from apps.paytables.paytable_rows import PaytableRow
from apps.rounds.table_game import (
    ActionRefusalCode,
    BetEdge,
    BetLimits,
    PayloadInvalid,
    TableRefusal,
    TableTerms,
    TermsError,
)
from apps.rounds.table_payloads import NUMBERS

MAX_ODDS: Final = 10_000
TABLE_ODDS_DECIMALS: Final = 6


def action_parse(payload: Mapping[str, Any], actions: Any) -> Any:
    """Return the payload of a `submit_action` as one of the game's actions, a union with the tag `action`.

    Raises TableRefusal for an unknown action or bet, PayloadInvalid for a field of the wrong type.
    """
    try:
        return msgspec.convert(payload, actions, builtin_types=NUMBERS)
    except msgspec.ValidationError as error:
        found = _FIELD.search(str(error))
        field = (found.group(1) or found.group(2)) if found else ""
        value = payload.get(field)
        if field in ("action", "betType") and isinstance(value, str):
            raise TableRefusal(
                ActionRefusalCode.INVALID_ACTION, f"{field} {value[:40]!r} is not on offer here"
            ) from None
        expected = "a string" if field in ("action", "betType") else "a number"
        raise PayloadInvalid(f"payload.{field} must be {expected}" if field else "payload is no action") from None


def stake_check(terms: TableTerms, bet: str, stake: int, limits: BetLimits, field: str = "amount") -> None:
    """Raise TableRefusal for a stake outside the limits."""
    if not limits.least <= stake <= limits.most:
        least, most = terms.amount(limits.least), terms.amount(limits.most)
        raise TableRefusal(
            ActionRefusalCode.INVALID_AMOUNT, f"{field} {terms.amount(stake)} on {bet}: {least} to {most}"
        )


def points_most(points: int) -> int:
    """Return the highest stake at a points table (docs/tables.md, "How a table plays")."""
    return max(points + 200, 100)


def decks_read(decks: Any) -> int | None:
    """Return the option `decks`: 1 to 8, or None for infinite, for which 9 and 0 stand too. Raises TermsError."""
    if decks is None or (type(decks) is int and decks in (0, INFINITE_DECKS)):
        return None
    if type(decks) is not int or not 1 <= decks < INFINITE_DECKS:
        raise TermsError("rules.decks", "1 to 8 are possible, or null for infinite")
    return decks


def odds_text(field: str, odds: Any) -> str:
    """Return odds, X to 1, as an exact fraction's text. Raises TermsError."""
    try:
        exact = Fraction(str(odds))
    except (ValueError, ZeroDivisionError):
        raise TermsError(field, "a number is expected") from None
    if not 0 <= exact <= MAX_ODDS or (exact * 10**TABLE_ODDS_DECIMALS).denominator != 1:
        raise TermsError(field, f"0 to {MAX_ODDS} with at most {TABLE_ODDS_DECIMALS} decimals are possible")
    return str(exact)


def odds_number(odds: str) -> int | Decimal:
    """Return odds as a number for the wire."""
    exact = Fraction(odds)
    return exact.numerator if exact.denominator == 1 else Decimal(exact.numerator) / Decimal(exact.denominator)


def bet_edge(bet: str, label: str, edge: Fraction | None, lines: Sequence[PaytableRow] = ()) -> BetEdge:
    """Return a bet's house edge, a fraction of the stake, as text; None means that it is not known yet."""
    if edge is None:
        return BetEdge(bet, label, "")
    exact_pct = edge_pct(edge)
    return BetEdge(bet, label, f"{exact_pct.quantize(Decimal('0.01'))}%", edge < 0, exact_pct, lines)


_FIELD: Final = re.compile(r"at `\$\.(\w+)|required field `(\w+)`")
