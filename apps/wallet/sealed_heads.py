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
    WHERE sealed.row_count IS NOT NULL ORDER BY wallet.id
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


class KeptHeads(NamedTuple):
    """What one seal keeps."""

    digest: Heads
    are_changes: bool
    """Whether each head differs from what earlier seals keep."""


class KnownHeads:
    """All wallets' heads at one seal after the other, put together from what each of them keeps."""

    def __init__(self) -> None:
        self._wallet_ids: list[int] = []
        self._row_counts: dict[int, int] = {}
        self._row_count = 0
        self._tree = MerkleTree()

    def add(self, rows: Iterable[Head]) -> KeptHeads:
        """Take over the heads that the next seal keeps, by ascending wallet id."""
        are_changes = True

        def taken() -> Iterator[tuple[int, bytes]]:
            nonlocal are_changes
            for row in rows:
                leaf = _leaf(row)
                are_changes &= self._take(row, leaf)
                yield row[1], leaf

        digest = _digest(taken())
        return KeptHeads(digest, are_changes)

    def _take(self, row: Head, leaf: bytes) -> bool:
        """Take over one head, and return whether it was another one."""
        wallet_id, row_count, _ = row
        place = bisect_left(self._wallet_ids, wallet_id)
        is_change = True
        if wallet_id in self._row_counts:
            is_change = self._tree.replace(place, leaf)
        else:
            self._wallet_ids.insert(place, wallet_id)
            self._tree.insert(place, leaf)
        self._row_count += row_count - self._row_counts.get(wallet_id, 0)
        self._row_counts[wallet_id] = row_count
        return is_change

    def digest(self) -> Heads:
        """Return the digest over all of them. It costs the heads that have changed since the last one, not all."""
        return Heads(len(self._wallet_ids), self._row_count, self._tree.root().hex())


def current_heads_digest() -> Heads:
    """Return the digest over the wallets' heads as they are now."""
    return heads_digest(rows_stream(_HEADS_SQL))


def heads_digest(rows: Iterable[Head]) -> Heads:
    """Return the digest over the heads: a Merkle root, by ascending wallet id."""
    return _digest((row[1], _leaf(row)) for row in rows)


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
    for row in rows_stream(_SEALED_SQL, _parameters(seal.pk, seal.day)):
        yield row[0], _leaf(row)


def changed_heads_keep(*, seal_id: int, day: date) -> None:
    """Keep the wallets' heads that differ from those kept with earlier seals. The caller writes the seal."""
    with connection.cursor() as cursor:
        cursor.execute(_KEEP_SQL, _parameters(seal_id, day))


def _parameters(seal_id: int, day: date) -> dict[str, int | date]:
    return {"seal": seal_id, "day": day, "format": DailySeal.FORMAT}


def _digest(counted: Iterable[tuple[int, bytes]]) -> Heads:
    """Return the digest over leaves, each with its wallet's row count."""
    counts = [0, 0]

    def leaves() -> Iterator[bytes]:
        for row_count, leaf in counted:
            counts[0] += 1
            counts[1] += row_count
            yield leaf

    root = merkle_root(leaves()).hex()
    return Heads(counts[0], counts[1], root)


def _leaf(row: Head) -> bytes:
    wallet_id, row_count, head = row
    return leaf_hash(f"{wallet_id}|{row_count}|{bytes(head).hex()}".encode())
