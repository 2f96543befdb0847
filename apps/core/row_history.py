"""The saved versions of a row with a history (django-simple-history), and optimistic locking: the check of the version
that was read.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from apps.core.actor_names import shown_actor
from apps.core.errors import OutdatedVersion
from apps.core.money import plain
from apps.core.office_html import words_of

HISTORY_ROWS: Final = 200
SAID_CHANGES: Final = 10
"""The most changes that a refusal names."""

_KINDS: Final = {"+": "made", "~": "changed", "-": "removed"}
_NOT_SHOWN: Final = frozenset({"id", "ctime", "mtime", "version", "fingerprint", "paytable"})

_PERSONS: Final = frozenset({"confirmed by"})
"""The names of fields that hold the name of a person."""

Change = tuple[str, object, object]
"""Field, value before, value after; None if there is none."""


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One saved version and its changes."""

    time: datetime
    who: str
    subject: str
    kind: str
    changes: tuple[Change, ...]


def version_check(held: Any, version: int | None, *, rows: Iterable[Any] = (), field: str = "") -> None:
    """Refuse a change of `held` by somebody who has read an earlier version, and name who has changed what since.

    `held` is locked. `rows` have histories too and belong to its version. A `version` of None means that the caller has
    read nothing. `field` is the version's place in a request with several rows. Raises OutdatedVersion.
    """
    if version is None or version == held.version:
        return
    read = held.history.filter(version=version).order_by("-history_date").first()
    partner_id = getattr(held, "partner_id", None)
    entries = [entry for row in (held, *rows) for entry in history_entries(row, partner_id=partner_id)]
    since = [entry for entry in entries if read is None or entry.time > read.history_date]
    said = [text for entry in sorted(since, key=lambda entry: entry.time) for text in _sentences(entry)]
    told = f": {'; '.join(said[-SAID_CHANGES:])}" if said else ""
    place = f"{field}: " if field else ""
    raise OutdatedVersion(
        f"{place}version {version} was read, and it is {held.version} now{told}. Nothing was saved: look at it as it"
        " is now, and change it again.",
        field=field or None,
    )


def history_entries(
    row: Any, *, partner_id: int | None = None, until: datetime | None = None, most: int = HISTORY_ROWS
) -> Iterator[HistoryEntry]:
    """Return the row's saved versions up to a time, newest first, each with its differences from the one before.

    Names of people are those of `shown_actor`; a caller without a page's viewer passes `partner_id`.
    """
    rows = row.history.select_related("history_user").order_by("-history_date", "-history_id")
    if until is not None:
        rows = rows.filter(history_date__lte=until)
    versions = list(rows[: most + 1])  # the oldest one needs the version before it, too
    for version, before in list(zip(versions, [*versions[1:], None], strict=True))[:most]:
        yield HistoryEntry(
            time=version.history_date,
            who=shown_actor(_who(version), partner_id=partner_id),
            subject=str(version.instance),
            kind=_KINDS[version.history_type],
            changes=tuple(_with_shown_actors(change, partner_id) for change in _changes(version, before)),
        )


def _who(version: Any) -> str:
    if version.history_user is not None:
        return str(version.history_user)
    return version.history_change_reason or "the platform"


def _with_shown_actors(change: Change, partner_id: int | None) -> Change:
    name, *values = change
    if name not in _PERSONS:
        return change
    before, after = (None if value is None else shown_actor(value, partner_id=partner_id) for value in values)
    return name, before, after


def _changes(version: Any, before: Any) -> Iterator[Change]:
    fields = [field for field in version.tracked_fields if field.name not in _NOT_SHOWN]
    return (change for field in fields for change in _field_changes(field, version, before))


def _field_changes(field: Any, version: Any, before: Any) -> Iterator[Change]:
    value = getattr(version, field.attname)
    if before is None and (field.is_relation or value in ("", None)):
        return  # what a new row belongs to, and what it leaves empty, is no news
    former = None if before is None else getattr(before, field.attname)
    if isinstance(value, dict):
        for key in sorted({*value, *(former or {})}):
            if (former or {}).get(key) != value.get(key):
                yield f"{_name(field)}, {key}", (former or {}).get(key), value.get(key)
    elif value != former:
        yield _name(field), _text(former, field), _text(value, field)


def _name(field: Any) -> str:
    return str(field.verbose_name)


def _text(value: Any, field: Any) -> object:
    shown = dict(field.flatchoices).get(value, value) if field.choices else value
    if isinstance(shown, str):
        return words_of(shown)
    return plain(shown) if isinstance(shown, Decimal) else shown


def _sentences(entry: HistoryEntry) -> Iterator[str]:
    for name, before, after in entry.changes:
        change = f"{name} {after}" if before is None else f"{name} {before} to {after}"
        yield f"{entry.who} at {entry.time:%Y-%m-%d %H:%M:%S} UTC: {entry.subject}, {change}"
