"""Checks that the seals are valid and that the ledger still agrees with them."""

import hmac
from collections.abc import Collection, Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Final

from django.db import connection

from apps.core.findings import Check, Finding
from apps.core.transactions import transaction_require
from apps.wallet.ledger_check import wallet_scope_sql
from apps.wallet.models import DailySeal
from apps.wallet.seal_file import SealLine, seal_file_read
from apps.wallet.seal_sections import KEPT, MOMENT, WALLETS, Section, heads_section, moment_read, sections_root
from apps.wallet.sealed_heads import Heads, format_1_digest, heads_digest, kept_heads, sealed_heads
from apps.wallet.seals import seal_line, seal_mac, seal_message
from apps.wallet.signing import Signature, signature_fault

SEALED_BY: Final = timedelta(hours=2)
"""The time after a day's end during which its seal may be missing; the worker tries every hour."""
HEADS_ALTERED: Final = "the wallets' heads kept with it were altered"
NOT_IN_DATABASE: Final = "it is in the file, and was removed from the database"
"""The fault of a seal that the database lacks. The restore of an older backup looks the same: the days since then are
lost."""

# For each wallet, the first seal whose head is no longer in the ledger, and the row count of the last one that is.
_REWRITTEN_SQL: Final = f"""
    WITH broken AS (
        SELECT DISTINCT ON (sealed.wallet_id) sealed.wallet_id, seal.day, sealed.row_count, held.id AS row_id
        FROM sealed_head AS sealed JOIN daily_seal AS seal ON seal.id = sealed.seal_id
        LEFT JOIN wallet_transaction AS held
            ON held.wallet_id = sealed.wallet_id AND held.number = sealed.row_count
        WHERE sealed.row_count > 0 AND held.hash IS DISTINCT FROM sealed.head
            AND {wallet_scope_sql("sealed.wallet_id")}
        ORDER BY sealed.wallet_id, seal.day
    )
    SELECT broken.wallet_id, broken.day, broken.row_count, broken.row_id,
        (SELECT coalesce(max(sealed.row_count), 0)
         FROM sealed_head AS sealed JOIN daily_seal AS seal ON seal.id = sealed.seal_id
         JOIN wallet_transaction AS held
             ON held.wallet_id = sealed.wallet_id AND held.number = sealed.row_count AND held.hash = sealed.head
         WHERE sealed.wallet_id = broken.wallet_id AND seal.day < broken.day)
    FROM broken ORDER BY broken.wallet_id
"""  # noqa: S608 - only constant text
_ORPHANS_SQL: Final = """
    SELECT 'sealed_section row ' || min(held.id) FROM sealed_section AS held
    LEFT JOIN daily_seal AS seal ON seal.id = held.seal_id WHERE seal.id IS NULL GROUP BY held.seal_id
    UNION ALL
    SELECT 'sealed_head row ' || min(held.id) FROM sealed_head AS held
    LEFT JOIN daily_seal AS seal ON seal.id = held.seal_id WHERE seal.id IS NULL GROUP BY held.seal_id
    ORDER BY 1
"""


def seals_check(*, seal_file: Path | None, partner_id: int | None = None) -> Check:
    """Check each seal, their chain, the ledger and, if given, the file against them.

    Seals cover all partners; with a partner, only its wallets are compared. The caller has opened
    `one_moment`. `checked` counts the database's seals. Raises OSError for a file that cannot be read.
    """
    transaction_require()
    seals = list(DailySeal.objects.order_by("day").prefetch_related("sections"))
    findings = [finding for seal in seals for finding in _content_findings(seal)]
    if partner_id is None:
        findings += _newest_heads_findings(seals)
    findings += _absent_findings(seals)
    findings += _orphan_findings()
    findings += _days_findings(seals)
    lines = [seal_line(seal) for seal in seals]
    findings += _chain_findings(lines, place="database")
    findings += _rewritten_findings(partner_id)
    if seal_file is not None:
        copies = seal_file_read(seal_file)
        findings += _chain_findings(copies, place="file")
        findings += _copy_findings(lines, copies)
    return Check(len(seals), findings)


def _content_findings(seal: DailySeal) -> Iterator[Finding]:
    """Yield the contents of a seal that differ from what its HMAC covers."""
    where = f"seal of {seal.day}"
    sealed = _numbers(seal)
    if seal.format == 1:
        if format_1_digest(kept_heads(seal.pk)) != sealed:
            yield Finding(where, HEADS_ALTERED)
        return
    sections = [Section(each.type, each.name, each.content) for each in seal.sections.all()]
    kept = heads_digest(kept_heads(seal.pk))
    # Seals of versions up to 2026-11-29 have no section of the heads that they keep: they keep every head.
    is_kept_sealed = any(each.type == KEPT for each in sections)
    if not (heads_section(KEPT, kept) in sections if is_kept_sealed else kept == sealed):
        yield Finding(where, HEADS_ALTERED)
    if heads_section(WALLETS, sealed) not in sections:
        yield Finding(where, "its numbers of the wallets are not those of its section of them")
    if sections_root(sections) != seal.root:
        yield Finding(where, "its sections do not give its root: one was altered, removed or added")
        return
    moments = [moment_read(each.content) for each in sections if each.type == MOMENT]
    if [moment.taken_at for moment in moments] != [seal.ctime]:
        yield Finding(where, "its time is not the one that was sealed")


def _newest_heads_findings(seals: Sequence[DailySeal]) -> Iterator[Finding]:
    """Yield a finding if the heads of all wallets are not those that the newest seal covers.

    They come from many seals, each of which proves those that it keeps. So this finds a wallet that was removed.
    """
    newest = next((seal for seal in reversed(seals) if seal.format == DailySeal.FORMAT), None)
    if newest is not None and heads_digest(sealed_heads(seal_id=newest.pk, day=newest.day)) != _numbers(newest):
        yield Finding(
            f"seal of {newest.day}", "the heads kept with it and with earlier seals are not those that it covers"
        )


def _numbers(seal: DailySeal) -> Heads:
    return Heads(seal.wallet_count, seal.row_count, seal.heads_hash)


def _absent_findings(seals: Sequence[DailySeal]) -> list[Finding]:
    """Return the sections that are missing in a later seal."""
    findings = []
    known: set[tuple[str, str]] = set()
    for seal in seals:
        if seal.format == 1:
            if known:
                findings.append(Finding(f"seal of {seal.day}", "it is of format 1, and one before it is not"))
            continue
        named = {(each.type, each.name) for each in seal.sections.all()}
        absent = sorted((known | {(MOMENT, ""), (WALLETS, "")}) - named)
        findings += [
            Finding(f"seal of {seal.day}", f"it has no section {' '.join(filter(None, each))}, which belongs to it")
            for each in absent
        ]
        known |= named
    return findings


def _orphan_findings() -> list[Finding]:
    """Return a part of each removed seal. Only such parts show that the newest seal was removed, until the next one is
    due."""
    with connection.cursor() as cursor:
        cursor.execute(_ORPHANS_SQL)
        return [Finding(where, "the seal that it belongs to was removed") for (where,) in cursor.fetchall()]


def _days_findings(seals: Sequence[DailySeal]) -> list[Finding]:
    """Return the ended days without a seal, and the seals of days that have not ended."""
    now, installed_on = _database_clock()
    today = now.date()
    findings = [
        Finding(f"seal of {seal.day}", "the day has not ended by the database's clock")
        for seal in seals
        if seal.day >= today or seal.ctime > now + SEALED_BY
    ]
    days = {seal.day for seal in seals if seal.day < today}
    first = min(days, default=installed_on)
    last = (now - SEALED_BY).date() - timedelta(days=1)
    ended = (first + timedelta(days=number) for number in range((last - first).days + 1))
    for is_sealed, group in groupby(ended, key=days.__contains__):
        if not is_sealed:
            missing = list(group)
            span = f"{missing[0]}" if len(missing) == 1 else f"{missing[0]} to {missing[-1]}"
            findings.append(Finding(f"seal of {span}", "there is none, and the day has ended"))
    return findings


def _database_clock() -> tuple[datetime, date]:
    """Return the database's time, and the day on which the tables were created."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT now(), (min(applied) AT TIME ZONE 'UTC')::date FROM django_migrations")
        now, installed_on = cursor.fetchone()
        return now, installed_on


def _chain_findings(seals: Collection[SealLine], *, place: str) -> list[Finding]:
    """Return the seals that were not made with our keys or do not follow the previous one."""
    findings = []
    previous_mac = ""
    for seal in seals:
        where = f"seal of {seal.day} in the {place}"
        if not hmac.compare_digest(seal_mac(seal), seal.mac):
            findings.append(Finding(where, "it was altered, or made with another key than PUNTO_SEAL_KEY"))
        elif seal.previous_mac != previous_mac:
            findings.append(Finding(where, "the seal before it was altered or removed"))
        if seal.format != 1 and (fault := signature_fault(Signature(seal.key_id, seal.signature), seal_message(seal))):
            findings.append(Finding(where, fault))
        previous_mac = seal.mac
    return findings


def _copy_findings(seals: Collection[SealLine], copies: Collection[SealLine]) -> list[Finding]:
    """Return the differences between the file and the database; seals after the file's last one are not in it yet."""
    held = {seal.day: seal for seal in seals}
    findings = []
    for copy in copies:
        if copy.day not in held:
            findings.append(Finding(f"seal of {copy.day}", NOT_IN_DATABASE))
        elif held[copy.day] != copy:
            findings.append(Finding(f"seal of {copy.day}", "the file's and the database's are not the same"))
    copied = {copy.day for copy in copies}
    findings += [
        Finding(f"seal of {day}", "it is in the database, and was removed from the file")
        for day in held
        if copied and day < max(copied) and day not in copied
    ]
    return findings


def _rewritten_findings(partner_id: int | None) -> list[Finding]:
    """Return the wallets whose chain is not the sealed one, even if the chain itself is valid."""
    with connection.cursor() as cursor:
        cursor.execute(_REWRITTEN_SQL, {"partner": partner_id})
        rows = cursor.fetchall()
    findings = []
    for wallet_id, day, row_count, row_id, good in rows:
        where = f"wallet {wallet_id}, movement {row_count}" + (f" (row {row_id})" if row_id else "")
        what = "it is not the one" if row_id else "it was removed: it is the one"
        span = f"movement {row_count}" if good + 1 == row_count else f"one of movements {good + 1} to {row_count}"
        findings.append(Finding(where, f"{what} that was sealed on {day}; {span} is the first altered or removed"))
    return findings
