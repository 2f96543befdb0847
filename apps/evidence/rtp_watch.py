"""Decides when a game's observed return (RTP) departs from the published one by enough evidence for an alarm.

The evidence against each law (e, R) is kept by day and looked at every minute; `rtp_watch` in services.py stores the
alarm and sends its mail. A law is the distribution of a bet's payouts; docs/statistics.md, "The watch", explains it, e
and R.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, timedelta
from math import log
from typing import Any, Final, NamedTuple

from django.db import connection, transaction
from django.db.models import Max

from apps.core.locks import advisory_lock
from apps.evidence import mathematics
from apps.evidence.models import RESULT_MEASURES, EvidenceAlarmClose, EvidenceDay, Slice
from apps.evidence.observed import Sums, log_products
from apps.evidence.selectors import (
    TABLE_CHANNEL,
    LawKey,
    LawTerms,
    StatSlice,
    law_sums,
    law_terms,
    newest_closes,
    slice_of,
    verdict_lines,
)
from apps.paytables.paytable_rows import PaytableRow
from apps.rounds.registry import games
from apps.statistics.ranges import FIRST_DAY, UTC_ZONE

AMBER_EVIDENCE: Final = 100
AMBER_RESTARTED: Final = 1_000
ALARM: Final = 10_000
"""e raises an alarm at this number times the watched slices, R at this number times the watched laws."""

_LN_10: Final = log(10)
_STEPS: Final = 2 * mathematics.STEPS_A_SIDE
TABLES: Final = (Slice.CHANNEL.value, TABLE_CHANNEL)
"""The part and value of the slice of rounds at tables."""
_OF_TABLES: Final = StatSlice(channel=TABLE_CHANNEL)
_DUE_SQL: Final = """
    SELECT DISTINCT stat.period
    FROM play_stat AS stat
    JOIN paytable_line AS line ON line.paytable_id = stat.paytable_id AND line.kind = stat.kind AND line.lines <> '[]'
    WHERE stat.level = 'day' AND stat.zone = %(zone)s AND stat.door <> %(table_channel)s AND stat.closed_at IS NOT NULL
        AND stat.period > %(last)s
    UNION
    SELECT period FROM luck_stat WHERE zone = %(zone)s AND closed_at IS NOT NULL AND period > %(last)s
    ORDER BY period
"""

# From the newest row of a slice the index leads to that of the next one, so the kept days before them are not read.
_NEWEST_SQL: Final = """
    WITH RECURSIVE newest AS (
        (SELECT * FROM evidence_day ORDER BY game, kind, law, is_play, part, value, day DESC LIMIT 1)
        UNION ALL
        SELECT following.*
        FROM newest, LATERAL (
            SELECT * FROM evidence_day AS held
            WHERE (held.game, held.kind, held.law, held.is_play, held.part, held.value)
                > (newest.game, newest.kind, newest.law, newest.is_play, newest.part, newest.value)
            ORDER BY game, kind, law, is_play, part, value, day DESC LIMIT 1
        ) AS following
    )
    SELECT * FROM newest
"""


class SliceKey(NamedTuple):
    """A part of the rounds that is watched by itself."""

    game: str
    kind: str
    law: str
    is_play: bool
    part: str
    value: str

    @property
    def law_key(self) -> LawKey:
        return LawKey(self.game, self.kind, self.law)

    def verdict_lines(self, terms: LawTerms) -> Sequence[PaytableRow]:
        """Return the results by which it is judged; empty if it is judged by luck."""
        return verdict_lines(terms, _OF_TABLES if (self.part, self.value) == TABLES else StatSlice())


@dataclass(frozen=True, slots=True)
class SliceState:
    """The state of a watched slice: logarithms for each L."""

    n: int = 0
    products: tuple[float, ...] = (0.0,) * _STEPS
    restarted: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """The present state of a watched slice. Logarithms are natural ones."""

    key: SliceKey
    state: SliceState
    evidence: float
    restarted: float | None
    """None for a part of a law: R is watched only over all its rounds."""
    evidence_alarm: float
    restarted_alarm: float

    @property
    def is_amber(self) -> bool:
        return self.evidence >= log(AMBER_EVIDENCE) or (
            self.restarted is not None and self.restarted >= log(AMBER_RESTARTED)
        )

    @property
    def is_alarming(self) -> bool:
        return self.evidence >= self.evidence_alarm or (
            self.restarted is not None and self.restarted >= self.restarted_alarm
        )


@dataclass(frozen=True, slots=True)
class KeptLaw:
    """The watch over all rounds of a law after its last closed day. Decimal logarithms."""

    key: SliceKey
    n: int
    evidence: float
    restarted: float | None
    """None after an alarm that was closed after the day."""


def watch_lock() -> None:
    """Exclude other watches and closes of alarms until the end of the caller's transaction."""
    advisory_lock("rtp watch")


def evidence_days_add() -> int:
    """Keep the state after each closed day that has not been kept yet; return the number of days."""
    with connection.cursor() as cursor:
        cursor.execute(_DUE_SQL, {"zone": UTC_ZONE, "table_channel": TABLE_CHANNEL, "last": _last_day() or FIRST_DAY})
        days = [day for (day,) in cursor.fetchall()]
    for day in days:
        _day_add(day)
    return len(days)


def watched_now() -> list[Watched]:
    """Return every watched slice, with the rounds that have been added since the last kept day."""
    terms = _laws_watched()
    states, closes = _states(), newest_closes(RESULT_MEASURES)
    last = _last_day()
    hits = _hits_by_day(since=None if last is None else last + timedelta(days=1), until=None)
    for day in sorted(hits):
        states |= _after(day, hits[day], states, closes, terms)
    laws = sum(key.part == Slice.ALL for key in states)
    return [
        _watched(key, state, closes.get(key), slices=len(states), laws=laws) for key, state in sorted(states.items())
    ]


def laws_kept(*, since: date) -> list[KeptLaw]:
    """Return the newest kept state of each law that has one from this day on. It reads no rounds of today."""
    closes = newest_closes(RESULT_MEASURES)
    newest = {slice_of(row): row for row in EvidenceDay.objects.filter(part=Slice.ALL, day__gte=since).order_by("day")}
    found = []
    for key, row in newest.items():
        close = closes.get(key)
        products = tuple(row.products) if close is None else _minus(tuple(row.products), close.products)
        is_closed_since = close is not None and _closed_on(close) > row.day
        has_restarted = bool(row.restarted) and not is_closed_since
        restarted = mathematics.log_restarted_evidence(tuple(row.restarted)) / _LN_10 if has_restarted else None
        found.append(KeptLaw(SliceKey(*key), row.n, mathematics.log_evidence(products) / _LN_10, restarted))
    return found


def _watched(key: SliceKey, state: SliceState, close: EvidenceAlarmClose | None, *, slices: int, laws: int) -> Watched:
    products = state.products if close is None else _minus(state.products, close.products)
    restarted = mathematics.log_restarted_evidence(state.restarted) if state.restarted else None
    return Watched(
        key=key,
        state=state,
        evidence=mathematics.log_evidence(products),
        restarted=restarted,
        evidence_alarm=log(ALARM * slices),
        restarted_alarm=log(ALARM * max(laws, 1)),
    )


@transaction.atomic(durable=True)
def _day_add(day: date) -> None:
    watch_lock()
    if EvidenceDay.objects.filter(day__gte=day).exists():
        return
    hits = _hits_by_day(since=day, until=day)
    states = _after(day, hits.get(day, {}), _states(), newest_closes(RESULT_MEASURES), _laws_watched())
    EvidenceDay.objects.bulk_create(
        EvidenceDay(**key._asdict(), day=day, n=state.n, products=list(state.products), restarted=list(state.restarted))
        for key, state in states.items()
    )


def _after(
    day: date,
    sums: Mapping[SliceKey, Sums],
    states: Mapping[SliceKey, SliceState],
    closes: Mapping[tuple[Any, ...], EvidenceAlarmClose],
    terms: Mapping[LawKey, LawTerms],
) -> dict[SliceKey, SliceState]:
    """Return the states after the day for the slices with rounds on it."""
    after = {}
    for key, added in sums.items():
        if key.law_key in terms and (key.verdict_lines(terms[key.law_key]) or added.luck.n):
            former = states.get(key, SliceState())
            after[key] = state_after(former, added, terms[key.law_key], key=key, day=day, close=closes.get(key))
    return after


def state_after(
    former: SliceState,
    added: Sums,
    terms: LawTerms,
    *,
    key: SliceKey,
    day: date,
    close: EvidenceAlarmClose | None,
) -> SliceState:
    """Return the state of a slice after a day, with `added` as its rounds."""
    of_day = log_products(key.verdict_lines(terms), added)
    products = tuple(total + more for total, more in zip(former.products, of_day, strict=True))
    restarted: tuple[float, ...] = ()
    if key.part == Slice.ALL:
        if close is None or _closed_on(close) < day:
            restarted = mathematics.restarted(former.restarted, of_day)
        elif _closed_on(close) == day:
            restarted = mathematics.restarted((), _minus(products, close.products))
    return SliceState(former.n + added.n, products, restarted)


def _closed_on(close: EvidenceAlarmClose) -> date:
    return close.ctime.astimezone(UTC).date()


def _hits_by_day(*, since: date | None, until: date | None) -> dict[date, dict[SliceKey, Sums]]:
    found: dict[date, dict[SliceKey, Sums]] = {}
    sums = law_sums(StatSlice(since=since, until=until), split=["period", "partner_id", "door"], days_only=True)
    for (law, is_play), by_values in sums.items():
        for (day, partner_id, channel), by_currency in by_values.items():
            slices = found.setdefault(day, {})
            for part, value in ((Slice.ALL, ""), (Slice.PARTNER, str(partner_id)), (Slice.CHANNEL, channel)):
                key = SliceKey(*law, is_play, part, value)
                for added in by_currency.values():
                    slices[key] = slices.get(key, Sums()) + added
    _add_tables(found, since=since, until=until)
    return found


def _add_tables(found: dict[date, dict[SliceKey, Sums]], *, since: date | None, until: date | None) -> None:
    """Add the rounds at tables, which are a separate part."""
    wanted = replace(_OF_TABLES, since=since, until=until)
    for (law, is_play), by_values in law_sums(wanted, split=["period"], days_only=True).items():
        for (day,), by_currency in by_values.items():
            found.setdefault(day, {})[SliceKey(*law, is_play, *TABLES)] = sum(by_currency.values(), Sums())


def _states() -> dict[SliceKey, SliceState]:
    """Return the newest kept state of each slice."""
    rows = EvidenceDay.objects.raw(_NEWEST_SQL)
    return {SliceKey(*slice_of(row)): SliceState(row.n, tuple(row.products), tuple(row.restarted)) for row in rows}


def _last_day() -> date | None:
    last: date | None = EvidenceDay.objects.aggregate(last=Max("day"))["last"]
    return last


def _laws_watched() -> dict[LawKey, LawTerms]:
    """Return the laws with an e-value: those of bets with known results or known luck."""
    with_luck = {(game.id, game.luck.kind) for game in games() if game.luck is not None}
    return {key: terms for key, terms in law_terms().items() if terms.lines or (key.game, key.kind) in with_luck}


def _minus(products: tuple[float, ...], base: list[float]) -> tuple[float, ...]:
    return tuple(product - before for product, before in zip(products, base, strict=True))
