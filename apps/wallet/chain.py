"""Computes the hash chain of a wallet's movements, independently of the database's function.

Both hash the same text for a row: `wallet_transaction_hash` in migrations/0002_ledger.sql.
"""

import hashlib
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

EMPTY_HEAD = b""
"""The previous hash of a wallet's first movement."""


class Movement(NamedTuple):
    """A complete row of `wallet_transaction`."""

    wallet_id: int
    number: int
    id: int
    ctime_us: int | None
    """Microseconds since 1970 in UTC; None for an infinite time."""
    house_account_id: int
    kind: str
    change: Decimal
    balance_after: Decimal
    round_id: UUID | None
    record_id: int | None
    source_key: str
    reason: str
    hash: bytes


def movement_hash(previous: bytes, row: Movement) -> bytes:
    """Return SHA-256 over the hash of the wallet's previous movement and the row's content."""
    content = (
        f"{row.id}|{row.ctime_us}|{row.wallet_id}|{row.house_account_id}|{row.number}|{row.kind}"
        f"|{row.change:f}|{row.balance_after:f}|{row.round_id or ''}"
        f"|{'' if row.record_id is None else row.record_id}"
        f"|{len(row.source_key.encode())}|{row.source_key}|{row.reason}"
    )
    return hashlib.sha256(previous + content.encode()).digest()
