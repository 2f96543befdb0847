"""The hash chain of a wallet's movements, computed here apart from the database's own function.

Both write the same text for a row: `wallet_transaction_hash` in migrations/0002_ledger.sql.
"""

import hashlib
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID

EMPTY_HEAD = b""
"""What the first movement of a wallet is chained on."""


class Movement(NamedTuple):
    """One row of `wallet_transaction`, everything in it."""

    wallet_id: int
    number: int
    id: int
    ctime_us: int | None
    """Microseconds since 1970 in UTC; None for a time that is none."""
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
    """Return SHA-256 over the hash of the wallet's movement before, and the row's content."""
    content = (
        f"{row.id}|{row.ctime_us}|{row.wallet_id}|{row.house_account_id}|{row.number}|{row.kind}"
        f"|{row.change:f}|{row.balance_after:f}|{row.round_id or ''}"
        f"|{'' if row.record_id is None else row.record_id}"
        f"|{len(row.source_key.encode())}|{row.source_key}|{row.reason}"
    )
    return hashlib.sha256(previous + content.encode()).digest()
