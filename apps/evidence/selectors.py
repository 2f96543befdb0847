"""Reads the sums of the statistics by law: the bets of one kind and one law have one distribution."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any, Final, NamedTuple

from django.db import connection
from django.db.models import F, Max, QuerySet

from apps.evidence.models import EvidenceAlarm, EvidenceAlarmClose, Measure, RtpPublication, Slice
from apps.evidence.observed import LuckSums, Observed, Sums, rtp_observed
from apps.partners.models import Partner
from apps.paytables.models import PayTable, PayTableLine, PayTableUse
from apps.paytables.paytable_rows import MAX_RESULTS, PaytableRow, lines_from_json
from apps.rounds.registry import games
from apps.statistics.ranges import FIRST_DAY, UTC_ZONE, StatRange, stat_range
from apps.statistics.sums import STEPS

TABLE_CHANNEL: Final = "table"


class LawKey(NamedTuple):
    """A law: bets with one distribution of payouts (docs/statistics.md, "The watch")."""

    game: str
    kind: str
    law: str


class MoneyKey(NamedTuple):
    """A law, separately for play money and real money."""

    law: LawKey
    is_play: bool


@dataclass(frozen=True, slots=True)
class LawTerms:
    """The published figures of a law."""

    lines: tuple[PaytableRow, ...]
    """Empty if the results depend on the player's decisions."""
    rtp: Decimal
    deviation: Decimal | None
    method: str

    def observed(self, by_currency: Mapping[str, Sums], *, is_mixed: bool = False) -> Observed | None:
        """Return the observed RTP; None without a stake. `is_mixed`: of rounds at tables, each with its own chances."""
        return rtp_observed(by_currency, self.lines, None if self.lines else self.deviation, is_mixed=is_mixed)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatSlice:
    """The selected rows of the statistics; None is no restriction."""

    partners: Sequence[int] | None = None
    currency: str | None = None
    channel: str | None = None
    device: str | None = None
    band: int | None = None
    paytable: int | None = None
    game: str | None = None
    kind: str | None = None
    law: str | None = None
    since: date | None = None
    until: date | None = None

    @property
    def is_of_tables(self) -> bool:
        """Whether the slice is of live tables. The law of a round there is that of the cards left in the shoe, so the
        evidence is that of luck.
        """
        return self.channel == TABLE_CHANNEL


_COLUMNS: Final = ("partner_id", "door", "device", "band", "currency_id", "period", "month", "paytable_id")
_SPLITS: Final = {name: f"stat.{name}" for name in _COLUMNS} | {
    "month": "date_trunc('month', stat.period)::date",
}


def law_sums(
    wanted: StatSlice, *, split: Sequence[str] = (), days_only: bool = False
) -> dict[MoneyKey, dict[tuple[Any, ...], dict[str, Sums]]]:
    """Return the sums by law and money, by the values of `split`, and by currency.

    `split` is of partner_id, door, device, band, month, paytable_id and, with `days_only`, period: the day.
    """
    stretch = stat_range(since=wanted.since, until=wanted.until)
    if days_only:
        stretch = StatRange(
            "stat.zone = %(zone)s AND stat.level = 'day' AND stat.period BETWEEN %(since)s AND %(until)s",
            stretch.parameters,
        )
    groups = [_SPLITS[name] for name in split]
    places = range(1, MAX_RESULTS + 1)
    where, parameters = _conditions(wanted)
    sql = f"""
        SELECT stat.game, stat.kind, line.law, currency.is_play, stat.currency_id,
            {"".join(f"{name}, " for name in groups)}
            sum(stat.n)::bigint, sum(stat.bets)::bigint, sum(stat.stake), sum(stat.payout), sum(stat.stake_squared),
            sum(stat.expected), sum(stat.variance), sum(stat.mismatched)::bigint,
            {", ".join(f"sum(stat.hits[{place}])::bigint" for place in places)}
        FROM play_stat AS stat
        JOIN paytable_line AS line ON line.paytable_id = stat.paytable_id AND line.kind = stat.kind
        JOIN currency ON currency.code = stat.currency_id
        WHERE {stretch.sql} {where}
        GROUP BY 1, 2, 3, 4, 5 {"".join(f", {name}" for name in groups)}
        ORDER BY 1, 2, 3, 4 {"".join(f", {name}" for name in groups)}
    """  # noqa: S608 - names from this module
    found: dict[MoneyKey, dict[tuple[Any, ...], dict[str, Sums]]] = {}
    with connection.cursor() as cursor:
        cursor.execute(sql, {**stretch.parameters, **parameters})
        for game, kind, law, is_play, currency, *rest in cursor.fetchall():
            values, sums = tuple(rest[: len(split)]), _sums(rest[len(split) :])
            key = MoneyKey(LawKey(game, kind, law), is_play)
            found.setdefault(key, {}).setdefault(values, {})[currency] = sums
    for luck_key, values, currency, luck in _luck_sums(wanted, split):
        held = found.get(luck_key, {}).get(values, {})
        if currency in held:
            held[currency] = replace(held[currency], luck=luck)
    return found


def _luck_sums(wanted: StatSlice, split: Sequence[str]) -> Iterator[tuple[MoneyKey, tuple[Any, ...], str, LuckSums]]:
    """Yield the luck of the same parts. Luck has rows of days only."""
    groups = [_SPLITS[name] for name in split]
    where, parameters = _conditions(wanted)
    logs = ", ".join(f"sum(stat.logs[{place}])::bigint" for place in range(1, STEPS + 1))
    sql = f"""
        SELECT stat.game, stat.kind, line.law, currency.is_play, stat.currency_id,
            {"".join(f"{name}, " for name in groups)}
            sum(stat.n)::bigint, sum(stat.luck), sum(stat.luck_squared), sum(stat.given_away), {logs}
        FROM luck_stat AS stat
        JOIN paytable_line AS line ON line.paytable_id = stat.paytable_id AND line.kind = stat.kind
        JOIN currency ON currency.code = stat.currency_id
        WHERE stat.zone = %(zone)s AND stat.period BETWEEN %(since)s AND %(until)s {where}
        GROUP BY 1, 2, 3, 4, 5 {"".join(f", {name}" for name in groups)}
    """  # noqa: S608 - names from this module
    days: dict[str, Any] = {"zone": UTC_ZONE, "since": wanted.since or FIRST_DAY, "until": wanted.until or date.max}
    with connection.cursor() as cursor:
        cursor.execute(sql, {**days, **parameters})
        for game, kind, law, is_play, currency, *rest in cursor.fetchall():
            n, luck, squared, given_away, *sums = rest[len(split) :]
            key = MoneyKey(LawKey(game, kind, law), is_play)
            yield key, tuple(rest[: len(split)]), currency, LuckSums(n, luck, squared, given_away, tuple(sums))


def law_terms() -> dict[LawKey, LawTerms]:
    """Return the published figures of every law."""
    rows = (
        PayTableLine.objects.order_by("paytable__game", "kind", "law", F("deviation").asc(nulls_last=True), "pk")
        .distinct("paytable__game", "kind", "law")
        .values_list("paytable__game", "kind", "law", "lines", "rtp", "deviation", "method", "paytable")
    )
    return {
        LawKey(game, kind, law): LawTerms(
            lines_from_json(lines),
            rtp,
            deviation_later(game, kind, paytable) if deviation is None else deviation,
            method,
        )
        for game, kind, law, lines, rtp, deviation, method, paytable in rows
    }


def deviation_later(game_id: str, kind: str, paytable_id: int) -> Decimal | None:
    """Return the deviation of a pay table's bet that was not known when the pay table was made; None if it still is
    not."""
    measure = next((game.luck for game in games() if game.id == game_id), None)
    if measure is None or measure.kind != kind:
        return None
    return measure.deviation(PayTable.objects.values_list("terms", flat=True).get(pk=paytable_id))


def verdict_lines(terms: LawTerms, wanted: StatSlice) -> tuple[PaytableRow, ...]:
    """Return the results by which a slice is judged; empty if it is judged by luck."""
    return () if wanted.is_of_tables else terms.lines


def laws_offered(partners: Sequence[int]) -> set[MoneyKey]:
    """Return the laws that these partners offer now."""
    uses = PayTableUse.objects.filter(partner__in=partners, partner__active=True, table_id=None, ends=None, end=None)
    rows = uses.values_list("game", "paytable__lines__kind", "paytable__lines__law", "currency__is_play").distinct()
    return {MoneyKey(LawKey(game, kind, law), is_play) for game, kind, law, is_play in rows if law is not None}


def publishing_partners() -> list[int]:
    """Return the partners whose rounds are in the public RTPs: the house, and others that allow it."""
    newest = RtpPublication.objects.values("partner").annotate(newest=Max("pk")).values("newest")
    chosen = dict(RtpPublication.objects.filter(pk__in=newest).values_list("partner_id", "is_allowed"))
    partners = Partner.objects.order_by("pk").values_list("pk", "is_house")
    return [pk for pk, is_house in partners if chosen.get(pk, is_house)]


def first_days(partners: Sequence[int]) -> dict[LawKey, date]:
    """Return by law the first day on which these partners offered it."""
    rows = (
        PayTableUse.objects.filter(partner__in=partners, table_id=None, ends=None)
        .order_by("game", "paytable__lines__kind", "paytable__lines__law", "available_from")
        .distinct("game", "paytable__lines__kind", "paytable__lines__law")
        .values_list("game", "paytable__lines__kind", "paytable__lines__law", "available_from")
    )
    return {LawKey(game, kind, law): since.date() for game, kind, law, since in rows if law is not None}


def alarms_open() -> QuerySet[EvidenceAlarm]:
    """Return the alarms that nobody has closed yet."""
    return EvidenceAlarm.objects.filter(close=None)


def newest_closes(measures: Collection[Measure]) -> dict[tuple[Any, ...], EvidenceAlarmClose]:
    """Return by watched slice the newest close of an alarm by one of these measures."""
    rows = EvidenceAlarmClose.objects.filter(alarm__measure__in=measures).select_related("alarm").order_by("pk")
    return {slice_of(row.alarm): row for row in rows}


def slice_of(row: Any) -> tuple[Any, ...]:
    """Return the key of a watched slice's row."""
    return (row.game, row.kind, row.law, row.is_play, row.part, row.value)


def part_title(part: str, value: str, partners: Mapping[str, str]) -> str:
    """Return the name of a watched part of a bet's rounds. `partners` has the names of partners by their ids."""
    match Slice(part):
        case Slice.ALL:
            return "all rounds"
        case Slice.PARTNER:
            return f"partner {partners.get(value, value)}"
        case Slice.CHANNEL:
            return f"channel {value}"


def partner_names() -> dict[str, str]:
    """Return the partners' names by their ids, as watched parts have them."""
    return {str(key): name for key, name in Partner.objects.values_list("pk", "name")}


def _sums(figures: Sequence[Any]) -> Sums:
    n, bets, stake, payout, stake_squared, expected, variance, mismatched, *hits = figures
    return Sums(n, bets, stake, payout, stake_squared, expected, variance, mismatched, tuple(hits))


def _conditions(wanted: StatSlice) -> tuple[str, dict[str, Any]]:
    conditions: list[str] = []
    parameters: dict[str, Any] = {}
    for column, value in (
        ("stat.currency_id", wanted.currency),
        ("stat.door", wanted.channel),
        ("stat.device", wanted.device),
        ("stat.band", wanted.band),
        ("stat.paytable_id", wanted.paytable),
        ("stat.game", wanted.game),
        ("stat.kind", wanted.kind),
        ("line.law", wanted.law),
    ):
        if value is not None:
            name = column.replace(".", "_")
            conditions.append(f"AND {column} = %({name})s")
            parameters[name] = value
    if wanted.partners is not None:
        conditions.append("AND stat.partner_id = ANY(%(partners)s)")
        parameters["partners"] = list(wanted.partners)
    if not wanted.is_of_tables:
        conditions.append("AND stat.door <> %(table_channel)s")
        parameters["table_channel"] = TABLE_CHANNEL
    return " ".join(conditions), parameters
