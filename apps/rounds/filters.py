"""The filters of the list of rounds. With them the list shows the rounds that a figure of the statistics counts."""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any, ClassVar, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from django.db import connection
from django.db.models import BooleanField, Max, Min, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.http import HttpRequest

from apps.cards.card import RANK_TEXTS, SUIT_LETTERS
from apps.core.admin import viewer_of
from apps.core.count_texts import counted
from apps.core.filters import ConditionFilter, DayRangeFilter, NamedFilter
from apps.core.staff_scope import in_scope, sees_all_partners
from apps.partners.own_zones import own_zone_spans
from apps.paytables.models import PayTable, PayTableLine, PayTableUse
from apps.rounds.bets_sql import has_bet, has_card
from apps.rounds.models import PLAYED_ENDS, Channel, Device, Round, RoundEnd
from apps.rounds.open_at import OPEN_AT
from apps.rounds.registry import game_title, games

_FIRST_START_SQL: Final = f"SELECT min(started_at) FROM game_round WHERE {OPEN_AT.format(at='%s')}"  # noqa: S608
_OPEN_SQL: Final = f"""
    SELECT id FROM game_round WHERE how_ended = '' AND started_at < %s
    UNION ALL
    SELECT id FROM game_round WHERE {OPEN_AT.format(at="%s")}
"""  # noqa: S608 - only constant text
# Most days have none, so their rounds need no look at their bets. An index finds the others.
_MAY_BE_WRONG_SQL: Final = """
    (game_round.game, (game_round.ended_at AT TIME ZONE 'UTC')::date) IN (
        SELECT game, period FROM play_stat WHERE level = 'day' AND zone = 'UTC' AND mismatched > 0
    ) OR game_round.ended_at >= (SELECT coalesce(max(edge), '-infinity') FROM statistics_fold)
"""
"""The condition for rounds of a day and game with wrong payouts, or that the statistics have not counted yet."""
STAKE_DIGITS: Final = range(1, 16)
"""The numbers of digits of stakes in smallest units that lists and slices are filtered by."""
PARTNER_FILTER: Final = "partner__id__exact"
"""The parameter of the filter by partner. Lists of viewers of one partner have no such filter."""
ZONE_FILTER: Final = "zone"
"""The parameter of the filter by the time zone of days."""
UTC_CHOICE: Final = "UTC"
NO_PAYTABLE: Final = "none"
"""The pay table of rounds without one."""
NO_TABLE: Final = "solo"
"""The channels of all rounds but those at live tables."""
_SOLO: Final = Q(table_round__isnull=True)
_IN_SESSION: Final = Q(_SOLO, session__isnull=False)


class GameFilter(NamedFilter):
    """One of the games."""

    title = "game"
    parameter_name = "game"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(game.id, game.title) for game in games()]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(game=self.value()) if self.value() else queryset


class ZoneFilter(NamedFilter):
    """The time zone of the list's days: UTC, or one that the partner has chosen. It needs one partner."""

    title = "days in"
    parameter_name = ZONE_FILTER
    all_option = None  # UTC is among the choices
    needs = PARTNER_FILTER
    """Without this filter it has no choices."""

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(zone, zone) for zone in _zones_offered(request)]

    def has_output(self) -> bool:
        return bool(self.value()) or len(self.lookup_choices) > 1

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset  # the filters by days use it


class StartedFilter(DayRangeFilter):
    """The days that rounds began on."""

    def __init__(self, field: Any, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(field, request, *args, **kwargs)
        self.zone = zone_of(request)

    def moments(self, zone: tzinfo | None = None) -> tuple[datetime | None, datetime | None]:
        return super().moments(self.zone if zone is None else zone)


class EndedFilter(StartedFilter):
    """The days that rounds ended on. A partner's own days are those of the statistics.

    It also bounds their start times exactly: the list is in that order, and an index over it is read between the
    bounds.
    """

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        queryset = super().queryset(request, queryset)
        begin, end = self.moments()
        if begin is not None:
            queryset = queryset.filter(started_at__gte=_first_start(begin))
        if end is not None:
            queryset = queryset.filter(started_at__lt=end)
        partner = _one_partner(request)
        if (begin or end) and partner is not None and str(self.zone) != UTC_CHOICE:
            queryset = queryset.filter(_in_own_zone(partner, str(self.zone), "ended_at"))
        return queryset


class VoidedFilter(StartedFilter):
    """The days that rounds were voided on, likewise those of the statistics. Their start times are bounded too."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title = "voided at"

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        queryset = super().queryset(request, queryset)
        begin, end = self.moments()
        if begin is None and end is None:
            return queryset
        voided = super().queryset(request, Round.objects.filter(void__isnull=False))
        found = voided.aggregate(first=Min("started_at"), last=Max("started_at"))
        if found["first"] is None:
            since = until = begin or end
        else:
            since, until = found["first"], found["last"] + timedelta(microseconds=1)
        queryset = queryset.filter(started_at__gte=since, started_at__lt=until)
        partner = _one_partner(request)
        if partner is not None and str(self.zone) != UTC_CHOICE:
            queryset = queryset.filter(_in_own_zone(partner, str(self.zone), "void__ctime"))
        return queryset


class StateFilter(ConditionFilter):
    """The state of a round, and whether the statistics count it."""

    title = "state"
    parameter_name = "state"

    def conditions(self) -> Mapping[str, tuple[str, Q]]:
        return {
            "open": ("open", Q(how_ended=RoundEnd.OPEN)),
            "counted": (
                "counted in the statistics",
                Q(how_ended__in=PLAYED_ENDS) & ~Q(player__at_tables__is_bot=True),
            ),
            "voided": ("voided", Q(how_ended=RoundEnd.VOIDED) | Q(void__isnull=False)),
        }


class ChannelFilter(ConditionFilter):
    """The channel of a round, as in the statistics."""

    title = "channel"
    parameter_name = "channel"

    def conditions(self) -> Mapping[str, tuple[str, Q]]:
        by_socket = Q(game__in=[game.id for game in games() if game.page.socket_path])
        found = {
            Channel.BROWSER: Q(_SOLO, session__isnull=True),
            Channel.TOKEN: _IN_SESSION & ~by_socket,
            Channel.SOCKET: _IN_SESSION & by_socket,
            Channel.TABLE: ~_SOLO,
        }
        named = {channel.value: (str(channel.label), condition) for channel, condition in found.items()}
        return named | {NO_TABLE: ("all but table", _SOLO)}


class DeviceFilter(ConditionFilter):
    """The device of the round's session; the device of a round at a live table is unknown."""

    title = "device"
    parameter_name = "device"

    def conditions(self) -> Mapping[str, tuple[str, Q]]:
        found = {device: Q(_SOLO, session__device=device) for device in Device}
        found[Device.UNKNOWN] |= ~_SOLO | Q(session__isnull=True)
        return {device.value: (str(device.label), condition) for device, condition in found.items()}


class MoneyFilter(ConditionFilter):
    """Real money or play money."""

    title = "money"
    parameter_name = "money"

    def conditions(self) -> Mapping[str, tuple[str, Q]]:
        return {
            "real": ("real money", Q(currency__is_play=False)),
            "play": ("play money", Q(currency__is_play=True)),
        }


class _BetPartFilter(NamedFilter):
    """A part of what a round's bet is. One bet has to be all that is asked for, so the first of these filters that is
    used asks for the others too."""

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        asked = {name: request.GET.get(name) or None for name in BET_PARTS}
        first = next((name for name, value in asked.items() if value), None)
        if first != self.parameter_name:
            return queryset
        digits = asked["digits"]
        return queryset.filter(
            has_bet(
                kind=asked["bet"],
                digits=None if digits is None else int(digits),
                result=asked["result"],
                is_wrong=asked["payout"] is not None,
            )
        )


class BetFilter(_BetPartFilter):
    """The kind of a bet, as in pay tables and statistics."""

    title = "bet"
    parameter_name = "bet"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return _of_games(
            (kind, f"{game.title}: {label}") for game in games() for kind, label in game.bet_labels.items()
        )


class DigitsFilter(_BetPartFilter):
    """The number of digits of a bet's stake in smallest units: 3 is 1.00 to 9.99 EUR."""

    title = "digits of the stake"
    parameter_name = "digits"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(str(digits), f"{digits} in smallest units") for digits in STAKE_DIGITS]


class ResultFilter(_BetPartFilter):
    """The result of a bet, as in pay tables."""

    title = "result of the bet"
    parameter_name = "result"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return _of_games(
            (result, f"{game.title}: {label}") for game in games() for result, label in game.result_labels.items()
        )


class PayoutFilter(_BetPartFilter):
    """Wrong payouts, as the statistics count them."""

    title = "payout"
    parameter_name = "payout"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("wrong", "not that of the pay table")]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        queryset = super().queryset(request, queryset)
        return queryset.filter(RawSQL(_MAY_BE_WRONG_SQL, [], BooleanField())) if self.value() else queryset  # noqa: S611 - a constant


BET_PARTS: Final = tuple(each.parameter_name for each in (BetFilter, DigitsFilter, ResultFilter, PayoutFilter))


class LinkedFilter(NamedFilter):
    """A filter that only links choose, since there are too many values to offer. Whether the value exists is not told;
    it is named if it is within the viewer's scope."""

    form: ClassVar[re.Pattern[str]]

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        value = request.GET.get(self.parameter_name or "", "")
        return [(value, self.named(value, request) or value[:8])] if self.form.fullmatch(value) else []

    def named(self, value: str, request: HttpRequest) -> str | None:
        """Return the words of a value of the right form."""
        raise NotImplementedError


class OpenAfterFilter(NamedFilter):
    """Rounds of people that were open at the end of a day, or are open now if it is not over."""

    title = "open at the end of"
    parameter_name = "open_after"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        value = request.GET.get(self.parameter_name, "")
        return [] if _day_of(value) is None else [(value, value)]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        day = _day_of(self.value() or "")
        if day is None:
            return queryset
        until = datetime.combine(day + timedelta(days=1), time(), zone_of(request))
        open_then = RawSQL(_OPEN_SQL, [until, until])  # noqa: S611 - a constant of this module
        return queryset.filter(~Q(player__at_tables__is_bot=True), pk__in=open_then)


class PayTableFilter(LinkedFilter):
    """A pay table, by its id, or rounds without one."""

    title = "pay table"
    parameter_name = "paytable"
    form = re.compile(rf"{NO_PAYTABLE}|[1-9][0-9]{{0,17}}")

    def named(self, value: str, request: HttpRequest) -> str | None:
        if value == NO_PAYTABLE:
            return value
        row = PayTable.objects.filter(pk=int(value), pk__in=_paytables_in_scope(request)).first()
        return None if row is None else f"{game_title(row.game)} {row.hash[:8]}"

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        chosen = self.value()
        if not chosen:
            return queryset
        return queryset.filter(paytable=None if chosen == NO_PAYTABLE else int(chosen))


class LawFilter(LinkedFilter):
    """A law: the bets of all pay tables that have one distribution of payouts."""

    title = "law of the bet"
    parameter_name = "law"
    form = re.compile(r"[0-9a-f]{64}")

    def named(self, value: str, request: HttpRequest) -> str | None:
        line = self._lines(request).filter(paytable__in=_paytables_in_scope(request)).first()
        return None if line is None else f"RTP {100 * line.rtp:.4f} %, {value[:8]}"

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(paytable__in=self._lines(request).values("paytable")) if self.value() else queryset

    def _lines(self, request: HttpRequest) -> "QuerySet[PayTableLine]":
        kind = request.GET.get(BetFilter.parameter_name)
        lines = PayTableLine.objects.filter(law=request.GET.get(self.parameter_name, ""))
        return lines.filter(kind=kind) if kind else lines


class CardFilter(LinkedFilter):
    """A card at a place of the dealing order: the number of decks, the place from 0, and the card's code if it is not
    any card: `8-0-HQ`."""

    title = "dealt card"
    parameter_name = "card"
    form = re.compile(rf"([1-9])-([0-9]{{1,2}})(?:-([{SUIT_LETTERS}](?:{'|'.join(RANK_TEXTS)})))?")

    def named(self, value: str, request: HttpRequest) -> str | None:
        decks, place, card = self._parts(value)
        return f"card {place + 1} of {counted(decks, 'deck')}: {card or 'any'}"

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        value = self.value()
        if not value:
            return queryset
        decks, place, card = self._parts(value)
        return queryset.filter(has_card(decks=decks, place=place, card=card))

    def _parts(self, value: str) -> tuple[int, int, str | None]:
        match = self.form.fullmatch(value)
        assert match is not None
        return int(match[1]), int(match[2]), match[3]


def _one_partner(request: HttpRequest) -> int | None:
    """Return the partner whose rounds are listed: the viewer's, or that of the filter; None for all."""
    viewer = viewer_of(request)
    if not sees_all_partners(viewer):
        return viewer.partner_id
    chosen = request.GET.get(PARTNER_FILTER, "")
    return int(chosen) if re.fullmatch(r"[1-9][0-9]{0,17}", chosen) else None


def _zones_offered(request: HttpRequest) -> list[str]:
    """Return the time zones that the list's days may be in: UTC, and those of its only partner."""
    partner = _one_partner(request)
    zones = set() if partner is None else {zone for zone, _, _ in own_zone_spans(partner)}
    return [UTC_CHOICE, *sorted(zones - {UTC_CHOICE})]


def is_zone_of_others(request: HttpRequest) -> bool:
    """Return whether the list is asked for days in a time zone that exists, but is not its partner's: the partner may
    have been changed after the zone was chosen."""
    chosen = request.GET.get(ZONE_FILTER)
    return bool(chosen) and chosen not in _zones_offered(request) and chosen in available_timezones()


def zone_of(request: HttpRequest) -> tzinfo:
    """Return the time zone of the list's days. Another value than that of a choice is refused by `ZoneFilter`."""
    chosen = request.GET.get(ZONE_FILTER)
    try:
        return ZoneInfo(chosen) if chosen else UTC
    except (ValueError, OSError, ZoneInfoNotFoundError):  # "America" is a folder
        return UTC


def _in_own_zone(partner: int, zone: str, time: str) -> Q:
    """Return the condition that a time of a round, such as its end, is within this zone's stretches at the partner.
    Beside a change of zones days are longer or shorter."""
    held = Q(pk__in=[])
    for name, begins, ends in own_zone_spans(partner):
        if name == zone:
            within = {f"{time}__gte": begins} if ends is None else {f"{time}__gte": begins, f"{time}__lt": ends}
            held |= Q(**within)
    return held


def _day_of(text: str) -> date | None:
    """Return the day that a text is, if it is one with a day after it."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if day < date.max and day.isoformat() == text else None


def is_by_bets(request: HttpRequest) -> bool:
    """Return whether the rounds are filtered by their bets or cards, which no index has."""
    return any(request.GET.get(name) for name in (*BET_PARTS, CardFilter.parameter_name))


def _paytables_in_scope(request: HttpRequest) -> "QuerySet[Any, Any]":
    """Return the ids of the pay tables of the viewer's partners."""
    uses = in_scope(PayTableUse.objects.all(), viewer=viewer_of(request), partner_path="partner_id")
    return uses.values("paytable")


def _of_games(names: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return each name once, with the words of all games that have it."""
    found: dict[str, list[str]] = {}
    for name, words in names:
        found.setdefault(name, []).append(words)
    return [(name, " / ".join(words)) for name, words in found.items()]


def _first_start(midnight: datetime) -> datetime:
    """Return the earliest start of the rounds that ended at or after midnight."""
    with connection.cursor() as cursor:
        cursor.execute(_FIRST_START_SQL, [midnight])
        (first,) = cursor.fetchone()
    return first or midnight
