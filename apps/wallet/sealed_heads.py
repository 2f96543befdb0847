"""The heads of the wallets' chains: which ones a seal keeps, and the digest over all of them.

A seal covers every wallet's head. It keeps only those that differ from what earlier seals keep, since most wallets do
not move in a day and a proof reads everything that is kept.
"""

import hashlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Final, NamedTuple

from django.db import connection

from apps.core.database_snapshot import rows_stream
from apps.wallet.merkle import MerkleTree, leaf_hash, merkle_root
from apps.wallet.models import DailySeal

Head = tuple[int, int, bytes]
"""Wallet id, row count and head of one wallet."""

_HEADS_SQL: Final = "SELECT id, row_count, head FROM wallet ORDER BY id"
_KEPT_SQL: Final = "SELECT wallet_id, row_count, head FROM sealed_head WHERE seal_id = %s ORDER BY wallet_id"
# A seal's id is higher than those of earlier days, since a day before a sealed one cannot be sealed. A seal of a later
# day is a forged one of the future. Format 1 is left out so that the first signed seal keeps every head.
_NEWEST_SQL: Final = """
    LEFT JOIN LATERAL (
        SELECT kept.row_count, kept.head FROM sealed_head AS kept
        WHERE kept.wallet_id = wallet.id AND kept.seal_id <= %(seal)s
            AND kept.seal_id <> ALL (ARRAY(SELECT id FROM daily_seal WHERE day > %(day)s OR format <> %(format)s))
        ORDER BY kept.seal_id DESC LIMIT 1
    ) AS sealed ON true
"""
_SEALED_SQL: Final = f"""
    SELECT wallet.id, sealed.row_count, sealed.head FROM wallet {_NEWEST_SQL}
    WHERE sealed.row_count IS NOT NULL ORDER BY wallet.id
"""  # noqa: S608 - only constant text
_KEEP_SQL: Final = f"""
    INSERT INTO sealed_head (seal_id, wallet_id, row_count, head)
    SELECT %(seal)s, wallet.id, wallet.row_count, wallet.head FROM wallet {_NEWEST_SQL}
    WHERE (sealed.row_count, sealed.head) IS DISTINCT FROM (wallet.row_count, wallet.head)
"""  # noqa: S608 - only constant text


class Heads(NamedTuple):
    """One digest over all wallets' heads, with their numbers."""

    wallet_count: int
    row_count: int
    heads_hash: str


class KnownHeads:
    """All wallets' heads at one seal after the other, put together from what each of them keeps."""

    def __init__(self) -> None:
        self._wallet_ids: list[int] = []
        self._row_counts: dict[int, int] = {}
        self._row_count = 0
        self._tree = MerkleTree()

    def add(self, rows: Iterable[Head]) -> None:
        """Take over the heads that the next seal keeps."""
        for row in rows:
            wallet_id, row_count, _ = row
            place = bisect_left(self._wallet_ids, wallet_id)
            if wallet_id in self._row_counts:
                self._tree.replace(place, _leaf(row))
            else:
                self._wallet_ids.insert(place, wallet_id)
                self._tree.insert(place, _leaf(row))
            self._row_count += row_count - self._row_counts.get(wallet_id, 0)
            self._row_counts[wallet_id] = row_count

    def digest(self) -> Heads:
        """Return the digest over all of them. It costs the heads that have changed since the last one, not all."""
        return Heads(len(self._wallet_ids), self._row_count, self._tree.root().hex())


def current_heads_digest() -> Heads:
    """Return the digest over the wallets' heads as they are now: a Merkle root, by ascending wallet id."""
    counts = [0, 0]

    def leaves() -> Iterator[bytes]:
        for row in rows_stream(_HEADS_SQL):
            counts[0] += 1
            counts[1] += row[1]
            yield _leaf(row)

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


def kept_heads(seal_id: int) -> Iterator[Head]:
    """Yield the heads that the seal keeps, by ascending wallet id."""
    yield from rows_stream(_KEPT_SQL, [seal_id])


def sealed_leaves(seal: DailySeal) -> Iterator[tuple[int, bytes]]:
    """Yield each wallet that the seal covers, and the Merkle leaf of its head, by ascending wallet id."""
    for row in rows_stream(_SEALED_SQL, _parameters(seal)):
        yield row[0], _leaf(row)


def changed_heads_keep(seal: DailySeal) -> None:
    """Keep the wallets' heads that differ from those kept with earlier seals. The caller has written the seal."""
    with connection.cursor() as cursor:
        cursor.execute(_KEEP_SQL, _parameters(seal))


def _parameters(seal: DailySeal) -> dict[str, int | date]:
    return {"seal": seal.pk, "day": seal.day, "format": DailySeal.FORMAT}


def _leaf(row: Head) -> bytes:
    wallet_id, row_count, head = row
    return leaf_hash(f"{wallet_id}|{row_count}|{bytes(head).hex()}".encode())
