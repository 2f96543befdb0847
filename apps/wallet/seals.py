"""Daily seals: an HMAC and a signature over the seal before and over all that is written once.

Whoever rewrites a wallet's chain or a record from some row on can compute all hashes again, but not a seal: its keys
are in the environment. Whoever removes a seal is told by the next day's, and by the copy outside the database
(`apps.wallet.seal_file`).
"""

import hashlib
import hmac
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Final, NamedTuple

import structlog
from django.conf import settings
from django.db import IntegrityError, connection

from apps.core.errors import Conflict
from apps.core.snapshot import one_moment, rows_stream
from apps.wallet.models import DailySeal, SealedSection
from apps.wallet.seal_file import SealLine, seal_file_append
from apps.wallet.sections import (
    heads_root,
    moment_now,
    next_id,
    sections_root,
    table_sections_write,
    wallets_section,
)
from apps.wallet.signing import message_sign

_HEADS_SQL: Final = "SELECT id, row_count, head FROM wallet ORDER BY id"
_HEADS_KEEP_SQL: Final = """
    INSERT INTO sealed_head (seal_id, wallet_id, row_count, head) SELECT %s, id, row_count, head FROM wallet
"""
_SEALED_HEADS_SQL: Final = "SELECT wallet_id, row_count, head FROM sealed_head WHERE seal_id = %s ORDER BY wallet_id"

log = structlog.get_logger(__name__)


class Heads(NamedTuple):
    """All wallets' heads as one figure."""

    wallet_count: int
    row_count: int
    heads_hash: str


def database_today() -> date:
    """Return today's date in UTC by the database's clock: a server's own may be set to anything."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT (now() AT TIME ZONE 'UTC')::date")
        today: date = cursor.fetchone()[0]
        return today


def yesterday_seal_take() -> DailySeal:
    """Seal the day that has ended, by the database's clock."""
    return daily_seal_take(day=database_today() - timedelta(days=1))


def daily_seal_take(*, day: date) -> DailySeal:
    """Seal everything as it stands now under the name of `day`; a day that is sealed keeps its seal.

    What is sealed is read in one snapshot, without a lock. After the commit every seal that the file at
    PUNTO_SEAL_FILE lacks is appended to it. A seal of a day that has not ended, which is none of ours, keeps nobody
    from sealing. Raises Conflict when the day has not ended, or a later one that has is sealed.
    """
    try:
        with one_moment(read_only=False):
            seal = DailySeal.objects.filter(day=day).first() or _seal_make(day)
    except IntegrityError:
        # Another process has sealed since our snapshot: its seal is as good.
        seal = DailySeal.objects.get(day=day)
    if settings.PUNTO_SEAL_FILE:
        seal_file_append(Path(settings.PUNTO_SEAL_FILE), seal_lines(until=seal.day))
    return seal


def seal_line(seal: DailySeal) -> SealLine:
    """Return a seal as the file has it."""
    return SealLine(
        day=seal.day,
        previous_mac=seal.previous_mac,
        wallet_count=seal.wallet_count,
        row_count=seal.row_count,
        heads_hash=seal.heads_hash,
        mac=seal.mac,
        format=seal.format,
        root=seal.root,
        key_id=seal.key_id,
        signature=seal.signature,
    )


def seal_lines(*, until: date = date.max) -> list[SealLine]:
    """Return every seal of the database up to that day, oldest first."""
    return [seal_line(seal) for seal in DailySeal.objects.filter(day__lte=until).order_by("day")]


def seal_message(line: SealLine) -> bytes:
    """Return what a seal's HMAC and signature are over."""
    if line.format == 1:
        heads = f"{line.wallet_count}|{line.row_count}|{line.heads_hash}"
        return f"{line.previous_mac}|{line.day.isoformat()}|{heads}".encode()
    return f"punto seal {line.format}|{line.previous_mac}|{line.day.isoformat()}|{line.root}".encode()


def seal_mac(line: SealLine) -> str:
    """Return the seal's HMAC-SHA256 with PUNTO_SEAL_KEY, in hexadecimal."""
    return hmac.new(settings.PUNTO_SEAL_KEY.encode(), seal_message(line), hashlib.sha256).hexdigest()


def heads_read(rows: Iterable[tuple[int, int, bytes]], *, seal_format: int) -> Heads:
    """Return the figure over (wallet id, row count, head), which come by ascending wallet id."""
    if seal_format != 1:
        return Heads(*heads_root(rows))
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
    today = database_today()
    if day >= today:
        raise Conflict(f"{day} has not ended by the database's clock")
    last = _last_seal(day, today)
    moment = moment_now()
    heads = heads_read(rows_stream(_HEADS_SQL), seal_format=DailySeal.FORMAT)
    seal_id = next_id("daily_seal")
    kept = [moment.to_section(), wallets_section(heads.wallet_count, heads.row_count, heads.heads_hash)]
    for section in kept:
        SealedSection.objects.create(seal_id=seal_id, type=section.type, name=section.name, content=section.content)
    sections = kept + table_sections_write(seal_id=seal_id, moment=moment)
    line = SealLine(
        day=day,
        previous_mac=last.mac if last else "",
        wallet_count=heads.wallet_count,
        row_count=heads.row_count,
        heads_hash=heads.heads_hash,
        mac="",
        format=DailySeal.FORMAT,
        root=sections_root(sections),
    )
    signature = message_sign(seal_message(line))
    line = line._replace(mac=seal_mac(line), key_id=signature.key_id, signature=signature.text)
    seal = DailySeal(pk=seal_id, ctime=moment.taken_at, **line._asdict())
    seal.save(force_insert=True)
    with connection.cursor() as cursor:
        cursor.execute(_HEADS_KEEP_SQL, [seal_id])
    return seal


def _last_seal(day: date, today: date) -> DailySeal | None:
    """Return the seal that the day's is chained on; whoever reads the log is told of seals that cannot be ours."""
    days = set(DailySeal.objects.filter(day__gte=day).values_list("day", flat=True))
    if ended := sorted(each for each in days if each < today):
        raise Conflict(f"{ended[-1]} is sealed already, {day} comes before it")
    if days:
        log.error("seal_of_a_day_that_has_not_ended", days=[each.isoformat() for each in sorted(days)])
    last = DailySeal.objects.filter(day__lt=day).order_by("-day").first()
    if last is not None and last.day < day - timedelta(days=1):
        log.error("days_not_sealed", after=last.day.isoformat(), before=day.isoformat())
    return last
