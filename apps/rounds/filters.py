"""The filters of the list of rounds. With them the list shows the rounds that a figure of the statistics counts."""

from collections.abc import Mapping
from datetime import UTC, datetime, time
from typing import Any, Final

from django.db import connection
from django.db.models import Q
from django.http import HttpRequest

from apps.core.filters import ConditionFilter, DayRangeFilter, NamedFilter
from apps.rounds.models import PLAYED_ENDS, Channel, Device, RoundEnd
from apps.rounds.open_at import OPEN_AT
from apps.rounds.registry import games

_FIRST_START_SQL: Final = f"SELECT min(started_at) FROM game_round WHERE {OPEN_AT.format(at='%s')}"  # noqa: S608
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


class EndedFilter(DayRangeFilter):
    """The days that rounds ended on.

    It also bounds their start times exactly: the list is in that order, and an index over it is read between the
    bounds.
    """

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        queryset = super().queryset(request, queryset)
        if self.first is not None:
            queryset = queryset.filter(started_at__gte=_first_start(datetime.combine(self.first, time(), UTC)))
        if self.last is not None:
            queryset = queryset.filter(started_at__lte=datetime.combine(self.last, time.max, UTC))
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
        return {channel.value: (str(channel.label), condition) for channel, condition in found.items()}


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


def _first_start(midnight: datetime) -> datetime:
    """Return the earliest start of the rounds that ended at or after midnight."""
    with connection.cursor() as cursor:
        cursor.execute(_FIRST_START_SQL, [midnight])
        (first,) = cursor.fetchone()
    return first or midnight
