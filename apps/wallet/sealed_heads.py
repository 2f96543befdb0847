"""The heads of the wallets' chains: which ones a seal keeps, and the digest over all of them.

A seal covers every wallet's head. It keeps only those that differ from what earlier seals keep, since most wallets do
not move in a day and a proof reads everything that is kept.
"""

import hashlib
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Final, NamedTuple

from django.db import connection

from apps.core.database_snapshot import rows_stream
from apps.wallet.merkle import leaf_hash, merkle_root
from apps.wallet.models import DailySeal

Head = tuple[int, int, bytes]
"""Wallet id, row count and head of one wallet."""
MAX_ID: Final = 2**63 - 1
"""The highest id of a wallet that its column can hold."""

_HEADS_SQL: Final = "SELECT id, row_count, head FROM wallet ORDER BY id"
_KEPT_SQL: Final = "SELECT wallet_id, row_count, head FROM sealed_head WHERE seal_id = %s ORDER BY wallet_id"
# A seal's id is higher than those of earlier days, since a day before a sealed one cannot be sealed. A seal of a later
# day is a forged one of the future, and heads without a seal are left of a removed one. Format 1 is left out so that
# the first signed seal keeps every head. The seal is read in a subquery, because a join may begin with all seals.
_NEWEST_SQL: Final = """
    LEFT JOIN LATERAL (
        SELECT kept.row_count, kept.head FROM sealed_head AS kept
        WHERE kept.wallet_id = wallet.id AND kept.seal_id <= %(seal)s AND (
            SELECT seal.day <= %(day)s AND seal.format = %(format)s FROM daily_seal AS seal WHERE seal.id = kept.seal_id
        )
        ORDER BY kept.seal_id DESC LIMIT 1
    ) AS sealed ON true
"""
_SEALED_SQL: Final = f"""
    SELECT wallet.id, sealed.row_count, sealed.head FROM wallet {_NEWEST_SQL}
    WHERE sealed.row_count IS NOT NULL AND wallet.id BETWEEN %(first)s AND %(last)s ORDER BY wallet.id
"""  # noqa: S608 - only constant text
# All rows are sorted before the first one is written. A plan made for few heads would otherwise scan, for each wallet,
# the heads that were written for the wallets before it.
_KEEP_SQL: Final = f"""
    INSERT INTO sealed_head (seal_id, wallet_id, row_count, head)
    SELECT %(seal)s, wallet.id, wallet.row_count, wallet.head FROM wallet {_NEWEST_SQL}
    WHERE (sealed.row_count, sealed.head) IS DISTINCT FROM (wallet.row_count, wallet.head)
    ORDER BY wallet.row_count, wallet.id
"""  # noqa: S608 - only constant text


class Heads(NamedTuple):
    """One digest over all wallets' heads, with their numbers."""

    wallet_count: int
    row_count: int
    heads_hash: str


def heads_digest(rows: Iterable[Head]) -> Heads:
    """Return the digest over the heads: a Merkle root, by ascending wallet id."""
    counts = [0, 0]

    def leaves() -> Iterator[bytes]:
        for row in rows:
            counts[0] += 1
            counts[1] += row[1]
            yield head_leaf(row)

    root = merkle_root(leaves()).hex()
    return Heads(counts[0], counts[1], root)


def format_1_digest(rows: Iterable[Head]) -> Heads:
    """Return the digest of a seal of format 1, which keeps every head: a SHA-256, by ascending wallet id."""
    digest = hashlib.sha256()
    wallet_count = movement_count = 0
    for wallet_id, row_count, head in rows:
        digest.update(f"{wallet_id}|{row_count}|{bytes(head).hex()}\n".encode())
        wallet_count += 1
        movement_count += row_count
    return Heads(wallet_count, movement_count, digest.hexdigest())


def head_leaf(row: Head) -> bytes:
    """Return the Merkle leaf of a head."""
    wallet_id, row_count, head = row
    return leaf_hash(f"{wallet_id}|{row_count}|{bytes(head).hex()}".encode())


def current_heads() -> Iterator[Head]:
    """Yield the wallets' heads as they are now, by ascending wallet id."""
    yield from rows_stream(_HEADS_SQL)


def kept_heads(seal_id: int) -> Iterator[Head]:
    """Yield the heads that the seal keeps, by ascending wallet id."""
    yield from rows_stream(_KEPT_SQL, [seal_id])


def sealed_heads(*, seal_id: int, day: date, first: int = 0, last: int = MAX_ID) -> Iterator[Head]:
    """Yield every head that the day's seal covers, from what it and earlier seals keep, by ascending wallet id.

    With `first` and `last` only those of wallets with ids from one to the other are read.
    """
    yield from rows_stream(_SEALED_SQL, _parameters(seal_id, day) | {"first": first, "last": last})


def changed_heads_keep(*, seal_id: int, day: date) -> None:
    """Keep the wallets' heads that differ from those kept with earlier seals. The caller writes the seal."""
    with connection.cursor() as cursor:
        cursor.execute(_KEEP_SQL, _parameters(seal_id, day))


def _parameters(seal_id: int, day: date) -> dict[str, int | date]:
    return {"seal": seal_id, "day": day, "format": DailySeal.FORMAT}
