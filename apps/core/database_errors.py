"""Turns errors of PostgreSQL into those of `apps.core.errors`; a lost connection, for example, is Unavailable (503).

After Unavailable nobody knows whether the statement was committed. So the client sends a bet or an action again, under
the same key; in the browser static/portal/js/bet-sender.js does it. What a bet that is sent again gets: `bet_place` in
apps/one_deal/services.py.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg
from django.db import DatabaseError, InterfaceError, OperationalError

from apps.core.errors import (
    AmountTooLarge,
    Busy,
    Conflict,
    DomainError,
    GameDisabled,
    InsufficientFunds,
    MovementRepeated,
    StaleState,
    Unavailable,
)
from apps.core.money import MAX_AMOUNT

# SQLSTATE codes: https://www.postgresql.org/docs/current/errcodes-appendix.html
_BUSY: Final = frozenset({
    "55P03",  # lock_not_available: lock_timeout ran out
    "40P01",  # deadlock_detected
    "57014",  # query_canceled: statement_timeout ran out
})  # fmt: skip
_UNAVAILABLE_CLASSES: Final = frozenset({
    "08",  # connection exception
    "53",  # insufficient resources: disk full, too many connections
    "57",  # operator intervention: shutdown, crash, not yet accepting connections
    "58",  # system error
})  # fmt: skip
# A programming error such as a surplus parameter, although its class is that of connections.
_PROTOCOL_VIOLATION: Final = "08P01"
_STALE: Final = "40001"  # serialization_failure: our functions raise it if the context of a write is stale
_NUMERIC_OUT_OF_RANGE: Final = "22003"
_READ_ONLY: Final = "25006"
# asyncpg's InterfaceError is not included: it stands for a wrong use of asyncpg.
_CONNECTION_FAULTS: Final = (
    OperationalError, InterfaceError, psycopg.OperationalError, psycopg.InterfaceError, OSError,
)  # fmt: skip


def domain_error_of(error: Exception) -> DomainError | None:
    """Return the DomainError of a database error, or None for a programming error.

    It accepts errors of Django (whose cause has PostgreSQL's code), psycopg and asyncpg, and the OSError of a
    connection, which includes TimeoutError.
    """
    cause = error.__cause__ if isinstance(error, (DatabaseError, InterfaceError)) else error
    sqlstate = getattr(cause, "sqlstate", None)
    if sqlstate is None:
        # An error of the client and not of PostgreSQL: the connection was lost, or could not be opened.
        lost = isinstance(error, _CONNECTION_FAULTS)
        return Unavailable("the database does not answer; try again in a moment") if lost else None
    if sqlstate == _STALE:
        return StaleState("another action was faster; try again in a moment")
    if sqlstate in _BUSY:
        return Busy("another action is in progress; try again in a moment")
    if sqlstate == _PROTOCOL_VIOLATION:
        return None
    if sqlstate[:2] in _UNAVAILABLE_CLASSES or sqlstate == _READ_ONLY:
        return Unavailable("the database does not answer; try again in a moment")
    if sqlstate == _NUMERIC_OUT_OF_RANGE:
        return AmountTooLarge(f"the amount or the balance after it is larger than a wallet can hold, {MAX_AMOUNT}")
    # psycopg has the constraint's name in `diag`, asyncpg in the error.
    return _broken_rule(getattr(getattr(cause, "diag", cause), "constraint_name", None))


@contextmanager
def database_errors() -> Iterator[None]:
    """Raise the domain error of an error of PostgreSQL in the block; other errors pass unchanged."""
    try:
        yield
    except (DatabaseError, InterfaceError) as error:
        refusal = domain_error_of(error)
        if refusal is None:
            raise
        raise refusal from error


def _broken_rule(constraint: str | None) -> DomainError | None:
    match constraint:
        case "round_switch":
            return GameDisabled("new bets are switched off here for now; open rounds can be finished")
        case "wallet_balance_not_negative":
            return InsufficientFunds("the wallet holds less than that")
        case "wallet_transaction_source_key":
            return MovementRepeated("this movement of money has been made already")
        case "wallet_refill_amount" | "wallet_refill_one_a_day":
            return Conflict("this day's refill has been made already")
        case "game_round_one_open" | "stored_answer_pkey":
            return StaleState("another action was faster; try again in a moment")
        case _:
            return None
