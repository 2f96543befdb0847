"""Makes daily seals: an HMAC and a signature over the previous seal, all write-once rows and the wallets' heads.

apps/wallet/seal_sections.py has the parts of a seal. apps/wallet/seals_check.py checks all seals;
apps/bundles/files/verify.py checks those of a round's bundle.

An intruder who rewrites a wallet's chain or a record can compute all hashes again, but not a seal, whose keys are in
the environment. A removed seal is detected by the next day's and by the copy outside the database
(`apps.wallet.seal_file`).
"""

import hashlib
import hmac
from datetime import date, timedelta
from pathlib import Path

import structlog
from django.conf import settings
from django.db import IntegrityError, connection

from apps.core.database_snapshot import one_moment
from apps.core.errors import Conflict
from apps.wallet.models import DailySeal, SealedSection
from apps.wallet.seal_file import SealLine, seal_file_append
from apps.wallet.seal_sections import (
    KEPT,
    WALLETS,
    heads_section,
    moment_now,
    next_id,
    sections_root,
    table_sections_write,
)
from apps.wallet.sealed_heads import changed_heads_keep, current_heads, heads_digest, kept_heads
from apps.wallet.signing import message_sign

log = structlog.get_logger(__name__)


def database_today() -> date:
    """Return today's date in UTC by the database's clock; a server's own clock may be wrong."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT (now() AT TIME ZONE 'UTC')::date")
        today: date = cursor.fetchone()[0]
        return today


def yesterday_seal_take() -> DailySeal:
    """Seal yesterday, by the database's clock."""
    return daily_seal_take(day=database_today() - timedelta(days=1))


def daily_seal_take(*, day: date) -> DailySeal:
    """Seal the current state as the seal of `day`; a sealed day keeps its seal.

    It reads one snapshot without locks. After the commit it appends the missing seals to the file PUNTO_SEAL_FILE. A
    forged seal of a day that has not ended does not prevent sealing. Raises Conflict when the day has not ended, or a
    later one that has is sealed.
    """
    try:
        with one_moment(read_only=False):
            seal = DailySeal.objects.filter(day=day).first() or _seal_make(day)
    except IntegrityError:
        # Another process has sealed the day since our snapshot.
        seal = DailySeal.objects.get(day=day)
    if settings.PUNTO_SEAL_FILE:
        seal_file_append(Path(settings.PUNTO_SEAL_FILE), seal_lines(until=seal.day))
    return seal


def seal_line(seal: DailySeal) -> SealLine:
    """Return a seal in the form of the file."""
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
    """Return the message of a seal's HMAC and signature."""
    if line.format == 1:
        heads = f"{line.wallet_count}|{line.row_count}|{line.heads_hash}"
        return f"{line.previous_mac}|{line.day.isoformat()}|{heads}".encode()
    return f"punto seal {line.format}|{line.previous_mac}|{line.day.isoformat()}|{line.root}".encode()


def seal_mac(line: SealLine) -> str:
    """Return the seal's HMAC-SHA256 with PUNTO_SEAL_KEY, in hexadecimal."""
    return hmac.new(settings.PUNTO_SEAL_KEY.encode(), seal_message(line), hashlib.sha256).hexdigest()


def _seal_make(day: date) -> DailySeal:
    today = database_today()
    if day >= today:
        raise Conflict(f"{day} has not ended by the database's clock")
    last = _last_seal(day, today)
    moment = moment_now()
    heads = heads_digest(current_heads())
    seal_id = next_id("daily_seal")
    changed_heads_keep(seal_id=seal_id, day=day)
    sections = [
        moment.to_section(),
        heads_section(WALLETS, heads),
        heads_section(KEPT, heads_digest(kept_heads(seal_id))),
    ]
    for section in sections:
        SealedSection.objects.create(seal_id=seal_id, type=section.type, name=section.name, content=section.content)
    sections += table_sections_write(seal_id=seal_id, moment=moment)
    line = SealLine(
        day=day,
        previous_mac=last.mac if last else "",
        **heads._asdict(),
        mac="",
        format=DailySeal.FORMAT,
        root=sections_root(sections),
    )
    signature = message_sign(seal_message(line))
    line = line._replace(mac=seal_mac(line), key_id=signature.key_id, signature=signature.text)
    seal = DailySeal(pk=seal_id, ctime=moment.taken_at, **line._asdict())
    seal.save(force_insert=True)
    return seal


def _last_seal(day: date, today: date) -> DailySeal | None:
    """Return the seal before the day's; log seals that cannot be ours."""
    days = set(DailySeal.objects.filter(day__gte=day).values_list("day", flat=True))
    if ended := sorted(each for each in days if each < today):
        raise Conflict(f"{ended[-1]} is sealed already, {day} comes before it")
    if days:
        log.error("seal_of_a_day_that_has_not_ended", days=[each.isoformat() for each in sorted(days)])
    last = DailySeal.objects.filter(day__lt=day).order_by("-day").first()
    if last is not None and last.day < day - timedelta(days=1):
        log.error("days_not_sealed", after=last.day.isoformat(), before=day.isoformat())
    return last
