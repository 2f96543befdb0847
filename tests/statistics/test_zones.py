"""Days in time zones: their hours, and the days of partners, whatever zones they choose."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import psycopg
import pytest
from django.db import DatabaseError, transaction
from django.db.models import Sum

from apps.accounts.models import Role
from apps.core.errors import BadRequest, Conflict
from apps.office.partner_api.selectors import summary
from apps.partners.models import Partner
from apps.partners.own_zones import own_zone_spans
from apps.reports.period import Period
from apps.rounds.models import Round
from apps.statistics import services
from apps.statistics.models import PartnerHour, PartnerZone, PlayStat
from tests.office.queries import list_of, list_refuses
from tests.statistics.test_fold import days_ago, statistics_findings, statistics_fold
from tests.support.copied_rounds import banker_player, banker_results, rounds_copy
from tests.support.factories import partner_make, staff_make
from tests.support.long_form import IS_LONG
from tests.support.played import baccarat_session
from tests.support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("committed")


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Berlin", date(2026, 3, 29), 23),
        ("Europe/Berlin", date(2026, 10, 25), 25),
        ("Europe/Berlin", date(2026, 6, 1), 24),
        # Clocks are set back from one o'clock to midnight: the day begins with the first of the two.
        ("Atlantic/Azores", date(2026, 10, 24), 24),
        ("Atlantic/Azores", date(2026, 10, 25), 25),
        ("Atlantic/Azores", date(2026, 10, 26), 24),
        ("America/Havana", date(2026, 11, 1), 25),
        # Clocks are set back from midnight to eleven, and on from midnight to one.
        ("Africa/Cairo", date(2026, 10, 29), 25),
        ("Africa/Cairo", date(2026, 10, 30), 24),
        ("Africa/Cairo", date(2026, 4, 24), 23),
        ("Australia/Lord_Howe", date(2026, 4, 5), 24.5),
    ],
)
def test_a_day_has_the_hours_of_its_time_zone(zone: str, day: date, hours: float) -> None:
    parameters = services.day_parameters(day, zone)
    assert parameters["until"] - parameters["since"] == timedelta(hours=hours)
    period = Period(day, day, zone)
    assert period.since.astimezone(UTC) == parameters["since"]
    assert period.until.astimezone(UTC) == parameters["until"]


ZONES = ("Europe/Berlin", "Australia/Sydney")
"""Summer time begins in one zone when it ends in the other, so that a short or long day is never long ago."""
TWO_MIDNIGHTS = ("Atlantic/Azores", "America/Havana")
"""Clocks are set back from one o'clock to midnight here, so that the long day has two midnights."""


def newest_day(hours: int, zones: Sequence[str] = ZONES) -> tuple[date, str]:
    """Return the last day of this length and its time zone."""
    for number in range(3, 368):
        for zone in zones:
            bounds = services.day_parameters(days_ago(number), zone)
            if bounds["until"] - bounds["since"] == timedelta(hours=hours):
                return days_ago(number), zone
    raise AssertionError(f"a year without a day of {hours} hours")


@pytest.mark.parametrize(("hours", "zones"), [(23, ZONES), (25, ZONES), (25, TWO_MIDNIGHTS)])
def test_rounds_of_a_short_and_a_long_day_are_in_that_day_alone(
    superuser: psycopg.Connection, hours: int, zones: Sequence[str]
) -> None:
    """One round for each hour of the day in its zone, and one before and after it."""
    day, zone = newest_day(hours, zones)
    player, _ = baccarat_session(bets=hours + 2)
    superuser.execute("SET session_replication_role = replica")
    superuser.execute(
        "INSERT INTO partner_zone (partner_id, zone, from_day, by) VALUES (%s, %s, %s, 'test')",
        [player.partner_id, zone, day - timedelta(days=60)],
    )
    begin = services.day_parameters(day, zone)["since"] - timedelta(minutes=30)
    for number, played in enumerate(Round.objects.order_by("started_at")):
        at = begin + timedelta(hours=number)
        superuser.execute("UPDATE game_round SET started_at = %s, ended_at = %s WHERE id = %s", [at, at, played.pk])
    superuser.execute("UPDATE wallet_transaction SET ctime = %s", [begin])
    # The fold stops behind the last round: no later day needs to be closed.
    last = begin + timedelta(hours=hours + 2)
    wait_until(lambda: (statistics_fold(datetime.now(UTC) - last) or begin) >= last, "all rounds are added")
    counted = {
        row.period: row.n for row in PlayStat.objects.filter(zone=zone, kind="BaccaratGameBetTie", level="day")
    }  # fmt: skip
    assert counted == {day - timedelta(days=1): 1, day: hours, day + timedelta(days=1): 1}
    assert (
        sum(row.n for row in PlayStat.objects.filter(zone="UTC", kind="BaccaratGameBetTie", level="day")) == hours + 2
    )
    by_hour = {row.hour: row.n for row in PartnerHour.objects.filter(zone=zone, period=day)}
    assert Counter(by_hour.values()) == ({1: 23} if hours == 23 else {1: 23, 2: 1})
    assert statistics_findings() == []


CHANGES = (
    (-2, "America/New_York"), (0, ""), (2, "Asia/Tokyo"), (4, "America/New_York"), (6, "UTC"), (8, "Asia/Tokyo"),
    (10, "UTC"), (12, "America/New_York"),
)  # fmt: skip
"""Changes of a partner's time zone by days from a short or long one; "" is the zone in which it is short or long."""


@pytest.mark.parametrize("changes", [CHANGES if IS_LONG else CHANGES[:3]], ids=len)
@pytest.mark.parametrize("hours", [23, 25])
def test_a_partner_s_own_days_have_every_round_once_whatever_zones_it_chooses(
    superuser: psycopg.Connection, hours: int, changes: Sequence[tuple[int, str]]
) -> None:
    """A round ends in the middle of each hour. Two zones lie 13 hours apart, in both directions. `make test` makes the
    changes after the long day's own with the short day alone.
    """
    day, zone = newest_day(hours)
    chosen = [(day + timedelta(days=number), name or zone) for number, name in changes]
    player = banker_player(partner_make())
    superuser.execute("SET session_replication_role = replica")
    for from_day, name in chosen:
        superuser.execute(
            "INSERT INTO partner_zone (partner_id, zone, from_day, by) VALUES (%s, %s, %s, 'test')",
            [player.partner_id, name, from_day],
        )
    begin = services.day_parameters(day - timedelta(days=4), "UTC")["since"] + timedelta(minutes=30)
    superuser.execute("UPDATE wallet_transaction SET ctime = %s", [begin])
    superuser.execute("UPDATE game_round SET started_at = %s, ended_at = %s", [begin, begin])
    times = [begin + timedelta(hours=number) for number in range((changes[-1][0] + 6) * 24)]
    rounds_copy(superuser, player, banker_results(len(times) - 1, again=0, seed=1), at=times[1:].__getitem__)
    last = times[-1] + timedelta(minutes=1)
    wait_until(lambda: (statistics_fold(datetime.now(UTC) - last) or begin) >= last, "all rounds are added")

    def days(*, own: bool) -> dict[date | None, int]:
        found = summary(partner=player.partner, first_day=date(2000, 1, 1), last_day=date(2100, 1, 1), own_days=own)
        assert found.totals[0].rounds == sum(row.rounds for row in found.rows)
        return {row.day: row.rounds for row in found.rows}

    expected = Counter(own_day(at, chosen) for at in times)
    assert days(own=True) == expected
    assert expected[day] == hours
    assert sum(expected.values()) == sum(days(own=False).values()) == len(times)
    _days_are_those_of_the_list(player.partner)
    assert statistics_findings() == []


def _days_are_those_of_the_list(partner: Partner) -> None:
    """The list of rounds has the rounds of each row of the statistics, in the row's zone."""
    viewer = staff_make(Role.PARTNER_STAFF, partner=partner)
    rows = PlayStat.objects.filter(partner=partner, level="day")
    assert len({row.zone for row in rows}) == 4
    for zone, day, n in rows.values_list("zone", "period").annotate(Sum("n")):
        asked = {"ended_at_from": f"{day}", "ended_at_to": f"{day}", "zone": "" if zone == "UTC" else zone}
        assert list_of(viewer, Round, asked).result_count == n, asked
    assert list_refuses(viewer, Round, {"zone": "Europe/Atlantis"}, "zone")


def own_day(at: datetime, chosen: Sequence[tuple[date, str]]) -> date:
    """Return the day to which a moment belongs. A zone begins at its first midnight, and after UTC at UTC's."""
    held = "UTC"
    for from_day, name in chosen:
        if at.astimezone(ZoneInfo("UTC" if held == "UTC" else name)).date() < from_day:
            break
        held = name
    return at.astimezone(ZoneInfo(held)).date()


def test_a_time_zone_begins_on_a_coming_day_and_exists() -> None:
    partner = partner_make()
    for zone, from_day in (
        ("Europe/Berlin", days_ago(0)), ("Etc/GMT+12", days_ago(0)), ("Europe/Atlantis", days_ago(-3)),
    ):  # fmt: skip
        with pytest.raises(DatabaseError), transaction.atomic():
            PartnerZone.objects.create(partner=partner, zone=zone, from_day=from_day, by="test")
    for each, zone in ((partner, "Asia/Tokyo"), (partner_make(), "Asia/Tokyo"), (partner_make(), "UTC")):
        PartnerZone.objects.create(partner=each, zone=zone, from_day=days_ago(-3), by="test")


def test_a_time_zone_is_chosen_four_hundred_days_ahead_at_most() -> None:
    partner = partner_make()
    with pytest.raises(BadRequest, match="one of the next 400 days"):
        services.partner_zone_set(partner=partner, zone="Asia/Tokyo", from_day=days_ago(-401), actor="test")
    services.partner_zone_set(partner=partner, zone="Asia/Tokyo", from_day=days_ago(-400), actor="test")


def test_a_withdrawn_time_zone_counts_for_nothing_and_another_one_can_be_chosen_for_its_day() -> None:
    """New York was chosen by mistake, for a day after Tokyo's; then Berlin is chosen for Tokyo's own day."""
    partner = partner_make()
    tokyo, york = (
        services.partner_zone_set(partner=partner, zone=zone, from_day=days_ago(-number), actor="test")
        for zone, number in (("Asia/Tokyo", 3), ("America/New_York", 9))
    )
    assert [zone for zone, _, _ in own_zone_spans(partner.pk)] == ["Asia/Tokyo", "America/New_York"]
    services.partner_zone_withdraw(chosen=york, reason="a wrong city", actor="test")
    assert [(zone, ends) for zone, _, ends in own_zone_spans(partner.pk)] == [("Asia/Tokyo", None)]
    services.partner_zone_withdraw(chosen=tokyo, reason="a wrong city, too", actor="test")
    assert own_zone_spans(partner.pk) == []
    berlin = services.partner_zone_set(partner=partner, zone="Europe/Berlin", from_day=tokyo.from_day, actor="test")
    begins = services.day_parameters(tokyo.from_day, "UTC")["since"]
    assert own_zone_spans(partner.pk) == [("Europe/Berlin", begins, None)]
    kept = PartnerZone.objects.filter(partner=partner).order_by("pk")
    assert list(kept.values_list("zone", "withdrawn_reason")) == [
        ("Asia/Tokyo", "a wrong city, too"), ("America/New_York", "a wrong city"), ("Europe/Berlin", ""),
    ]  # fmt: skip
    with pytest.raises(Conflict, match="withdrawn already"):
        services.partner_zone_withdraw(chosen=york, reason="again", actor="test")
    with pytest.raises(BadRequest, match="say why"):
        services.partner_zone_withdraw(chosen=berlin, reason=" ", actor="test")


def test_the_database_keeps_what_was_chosen_and_refuses_to_withdraw_what_has_begun(
    superuser: psycopg.Connection,
) -> None:
    partner, other = partner_make(), partner_make()
    withdrawn = {"withdrawn_at": datetime.now(UTC), "withdrawn_by": "test", "withdrawn_reason": "a test"}
    superuser.execute("SET session_replication_role = replica")
    superuser.execute(
        "INSERT INTO partner_zone (partner_id, zone, from_day, by) VALUES (%s, 'Asia/Tokyo', %s, 'test')",
        [partner.pk, days_ago(0)],
    )
    superuser.execute("SET session_replication_role = origin")
    begun = PartnerZone.objects.get(partner=partner)
    with pytest.raises(Conflict, match="has begun"):
        services.partner_zone_withdraw(chosen=begun, reason="too late", actor="test")
    coming = PartnerZone.objects.create(partner=other, zone="Asia/Tokyo", from_day=days_ago(-3), by="test")
    of_coming, changes = PartnerZone.objects.filter(pk=coming.pk), ({"zone": "UTC"}, {"from_day": days_ago(-5)})
    for change in changes:
        with pytest.raises(DatabaseError), transaction.atomic():
            of_coming.update(**change, **withdrawn)
        column, value = next(iter(change.items()))
        with pytest.raises(psycopg.Error, match="is not changed"):
            superuser.execute(f"UPDATE partner_zone SET {column} = %s WHERE id = %s", [value, coming.pk])
    with pytest.raises(DatabaseError, match="not chosen as withdrawn"), transaction.atomic():
        PartnerZone.objects.create(partner=other, zone="UTC", from_day=days_ago(-6), by="test", **withdrawn)
    assert of_coming.update(**withdrawn) == 1
    with pytest.raises(DatabaseError), transaction.atomic():
        of_coming.update(withdrawn_at=None, withdrawn_by="", withdrawn_reason="")
    for statement in ("DELETE FROM partner_zone", "TRUNCATE partner_zone"):
        with pytest.raises(psycopg.Error):
            superuser.execute(statement)
