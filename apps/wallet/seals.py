"""Daily seals: an HMAC over the seal before it and every wallet's head and row count.

Whoever rewrites a wallet's chain from some row on can compute all hashes again, but not a seal: its key
is in the environment. Whoever removes a seal is told by the copy outside the database (`apps.wallet.seal_file`).
"""

import hashlib
import hmac
from collections.abc import Iterable, Iterator
from datetime import date
from pathlib import Path
from typing import Final, NamedTuple

from django.conf import settings
from django.db import IntegrityError, connection

from apps.core.errors import Conflict
from apps.wallet.models import DailySeal
from apps.wallet.seal_file import SealLine, seal_file_append
from apps.wallet.snapshot import one_moment, rows_stream

_HEADS_SQL: Final = "SELECT id, row_count, head FROM wallet ORDER BY id"
_HEADS_KEEP_SQL: Final = """
    INSERT INTO sealed_head (seal_id, wallet_id, row_count, head) SELECT %s, id, row_count, head FROM wallet
"""
_SEALED_HEADS_SQL: Final = "SELECT wallet_id, row_count, head FROM sealed_head WHERE seal_id = %s ORDER BY wallet_id"


class Heads(NamedTuple):
    """All wallets' heads as one figure."""

    wallet_count: int
    row_count: int
    heads_hash: str


def daily_seal_take(*, day: date) -> DailySeal:
    """Seal the ledger as it stands now under the name of `day`; a day that is sealed keeps its seal.

    What is sealed is read in one snapshot, without a lock. After the commit every seal that the file at
    PUNTO_SEAL_FILE lacks is appended to it. Raises Conflict when a later day is sealed.
    """
    try:
        with one_moment(read_only=False):
            seal = DailySeal.objects.filter(day=day).first() or _seal_make(day)
    except IntegrityError:
        # Another process has sealed since our snapshot: its seal is as good.
        seal = DailySeal.objects.get(day=day)
    if settings.PUNTO_SEAL_FILE:
        seal_file_append(Path(settings.PUNTO_SEAL_FILE), seal_lines())
    return seal


def seal_lines() -> list[SealLine]:
    """Return every seal of the database, oldest first, as the file has it."""
    return [
        SealLine(
            day=seal.day,
            previous_mac=seal.previous_mac,
            wallet_count=seal.wallet_count,
            row_count=seal.row_count,
            heads_hash=seal.heads_hash,
            mac=seal.mac,
        )
        for seal in DailySeal.objects.order_by("day")
    ]


def seal_mac(*, previous_mac: str, day: date, heads: Heads) -> str:
    """Return the seal's HMAC-SHA256 with PUNTO_SEAL_KEY, in hexadecimal."""
    content = f"{previous_mac}|{day.isoformat()}|{heads.wallet_count}|{heads.row_count}|{heads.heads_hash}"
    return hmac.new(settings.PUNTO_SEAL_KEY.encode(), content.encode(), hashlib.sha256).hexdigest()


def heads_read(rows: Iterable[tuple[int, int, bytes]]) -> Heads:
    """Return the figure over (wallet id, row count, head), which come by ascending wallet id."""
    digest = hashlib.sha256()
    wallet_count = movement_count = 0
    for wallet_id, row_count, head in rows:
        digest.update(f"{wallet_id}|{row_count}|{bytes(head).hex()}\n".encode())
        wallet_count += 1
        movement_count += row_count
    return Heads(wallet_count, movement_count, digest.hexdigest())


def sealed_heads(seal_id: int) -> Iterator[tuple[int, int, bytes]]:
    """Yield (wallet id, row count, head) as a seal kept them, by ascending wallet id."""
    yield from rows_stream(_SEALED_HEADS_SQL, [seal_id])


def _seal_make(day: date) -> DailySeal:
    last = DailySeal.objects.order_by("-day").first()
    if last is not None and last.day > day:
        raise Conflict(f"{last.day} is sealed already, {day} comes before it")
    previous_mac = last.mac if last else ""
    heads = heads_read(rows_stream(_HEADS_SQL))
    seal = DailySeal.objects.create(
        day=day,
        previous_mac=previous_mac,
        wallet_count=heads.wallet_count,
        row_count=heads.row_count,
        heads_hash=heads.heads_hash,
        mac=seal_mac(previous_mac=previous_mac, day=day, heads=heads),
    )
    with connection.cursor() as cursor:
        cursor.execute(_HEADS_KEEP_SQL, [seal.pk])
    return seal
