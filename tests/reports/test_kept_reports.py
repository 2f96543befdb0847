"""Reports are stored each night, and a report of a past day is the same whenever it is made."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Player, PlayerStatus, Role
from apps.accounts.services import player_status_set
from apps.audit.models import AuditEntry
from apps.audit.services import audit_record
from apps.baccarat.engine import GameType
from apps.baccarat.models import BaccaratConfig
from apps.blackjack.tasks import idle_rounds_complete
from apps.core.exports import FileForm
from apps.core.staff_scope import PARTNER_STAFF
from apps.events.models import SignificantEvent
from apps.office.kept_reports import FIRST_DAYS, reports_keep
from apps.office.reports import REPORTS, report_of
from apps.portal.guests import guest_close, guest_log_in_add, guest_open
from apps.reports.models import KeptReport
from apps.reports.period import Period
from apps.reports.render import report_file
from apps.rounds.models import Round
from apps.rounds.services import round_void
from apps.statistics.models import StatisticsDay
from tests.support.baccarat import odds_set
from tests.support.factories import partner_make, player_make, staff_make, user_make, wallet_make
from tests.support.played_days import Played, left_open

GAP = 3
"""Days before the newest ones whose reports were not stored, because the worker did not run."""
DAYS = 24
"""Days of play. What began before the days that are kept began up to twenty days before them."""


@pytest.fixture
def played(superuser: psycopg.Connection, committed: None) -> Played:
    return Played(superuser, days=DAYS)


def test_each_closed_day_s_reports_are_kept_and_the_same_bytes_whatever_comes_later(
    played: Played, client: Client, settings: Any
) -> None:
    days = list(StatisticsDay.objects.filter(zone="UTC").order_by("-day").values_list("day", flat=True))
    first = days[FIRST_DAYS + GAP]
    for name in REPORTS:
        KeptReport.objects.create(name=name, day=first, head=[], row_count=0, sha256=sha256(b"").hexdigest(), body=b"")
    changed = _past_set(played, days)
    assert reports_keep() == FIRST_DAYS + GAP + 1  # of the first day those of the partners
    assert reports_keep() == 0
    kept = KeptReport.objects.exclude(day=first)
    assert set(kept.filter(partner=None).values_list("day", "name")) == {
        (day, name) for day in days[: FIRST_DAYS + GAP] for name in REPORTS
    }
    for row in kept.filter(day=days[0]):
        assert sha256(bytes(row.body)).hexdigest() == row.sha256
        head = dict(row.head)
        assert (head["period"], head["made_by"], head["build"]) == (f"{days[0]} (UTC)", "the platform", "no release")
    _all_is_the_same(played)
    _later_changes_make(played, changed, settings)
    _all_is_the_same(played)
    _are_downloaded_in_scope(played, client, days[0])


def _past_set(played: Played, days: list[Any]) -> dict[str, Any]:
    """Set the data that changes later to its state at the end of the newest days, and return it."""
    over = datetime.combine(days[1], datetime.min.time(), UTC)
    link = played.superuser
    guest = played.players[1]
    excluded = AuditEntry.objects.get(reason="for long", partner_id=played.partners[1].pk)
    unfinished = Round.objects.filter(how_ended="").first()
    assert unfinished is not None
    won = Round.objects.filter(pk__in=SignificantEvent.objects.filter(kind="large_win").values("round_id"))
    voided = won.filter(void=None).exclude(pk=unfinished.pk).latest("ended_at")
    Player.objects.filter(pk=guest.pk).update(is_guest=True)
    link.execute("SET session_replication_role = replica")
    link.execute("UPDATE audit_entry SET ctime = %s WHERE id = %s", [over - timedelta(days=20), excluded.pk])
    link.execute("UPDATE game_round SET started_at = %s WHERE id = %s", [over - timedelta(days=20), unfinished.pk])
    link.execute(
        "UPDATE wallet_transaction SET ctime = %s WHERE round_id = %s", [over - timedelta(days=20), unfinished.pk]
    )
    noon = over + timedelta(hours=12)
    link.execute("UPDATE game_round SET started_at = %s, ended_at = %s WHERE id = %s", [noon, noon, voided.pk])
    link.execute("UPDATE significant_event SET ctime = %s WHERE round_id = %s", [noon, voided.pk])
    for table, condition, key in (
        ("player_day", "player_id = %s", guest.pk),
        ("play_stat", "level = 'day' AND game = 'og-baccarat' AND partner_id = %s", played.partners[0].pk),
    ):
        first = f"SELECT min(id) FROM {table} WHERE zone = 'UTC' AND {condition}"
        link.execute(f"UPDATE {table} SET period = %s WHERE id = ({first})", [days[1], key])
    link.execute("SET session_replication_role = origin")
    return {
        "guest": guest,
        "excluded": Player.objects.get(pk=excluded.subject.split()[1]),
        "unfinished": unfinished,
        "voided": voided,
    }


def _later_changes_make(played: Played, changed: dict[str, Any], settings: Any) -> None:
    """Void, finish, unblock, change odds, sign up, open a round and an account. None of it belongs to those days."""
    round_void(operator=played.operator, round=changed["voided"], reason="later")
    settings.PUNTO_IDLE_ROUND_S = 0
    idle_rounds_complete()
    assert Round.objects.get(pk=changed["unfinished"].pk).how_ended == "auto_completed"
    player_status_set(
        operator=played.operator, player=changed["excluded"], status=PlayerStatus.ACTIVE, reason="it is over"
    )
    odds_set(BaccaratConfig.objects.get(partner=played.partners[0]), GameType.TIE, "7")
    with transaction.atomic():
        assert guest_log_in_add(player_id=changed["guest"].pk, user=user_make())
    left_open(player_make(balance=Decimal(50), partner=played.partners[0]))
    wallet_make(player=played.players[0], balance=Decimal(5), currency="EUR")


def _all_is_the_same(played: Played) -> None:
    """Make every stored report again, and compare."""
    rows = 0
    for row in KeptReport.objects.exclude(body=b"").select_related("partner"):
        again = report_file(played.report(row.name, Period(row.day, row.day), row.partner), FileForm.CSV)
        assert again == bytes(row.body), row
        rows += row.row_count
    assert rows > 100


def _are_downloaded_in_scope(played: Played, client: Client, day: Any) -> None:
    kept = KeptReport.objects.filter(day=day)
    liability = kept.get(partner=None, name="liability")
    ours, theirs = (kept.get(partner=partner, name="players") for partner in played.partners)
    client.force_login(staff_make(Role.PARTNER_STAFF, partner=played.partners[0]))
    page = client.get(reverse("admin:reports_kept")).content.decode()
    assert ours.sha256 in page
    assert played.partners[1].slug not in page
    assert client.get(reverse("admin:report_kept", args=[ours.pk])).content == bytes(ours.body)
    assert client.get(reverse("admin:report_kept", args=[theirs.pk])).status_code == 404
    assert client.get(reverse("admin:report_kept", args=[liability.pk])).status_code == 404
    client.force_login(staff_make(Role.AUDITOR))
    assert client.get(reverse("admin:report_kept", args=[liability.pk])).content == bytes(liability.body)
    assert (
        AuditEntry.objects.filter(action="report.export", subject=f"kept report {ours.name} of {ours.day}").count() == 1
    )
    _are_found_however_old(client, liability, ours)
    for statement in ("UPDATE kept_report SET body = ''", "DELETE FROM kept_report"):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)


def _are_found_however_old(client: Client, liability: KeptReport, ours: KeptReport) -> None:
    """The page of all days lists the newest alone."""

    def listed(**query: object) -> set[int]:
        page = client.get(reverse("admin:reports_kept"), query)
        assert page.status_code == 200
        return {row.pk for row, _ in page.context["kept"]}

    oldest = KeptReport.objects.earliest("day")
    assert listed(day=oldest.day) == set(KeptReport.objects.filter(day=oldest.day).values_list("pk", flat=True))
    assert liability.pk in listed(report="liability")
    assert ours.pk not in listed(report="liability")
    assert listed(day=ours.day, report="players", partner=ours.partner_id) == {ours.pk}
    wrong = client.get(reverse("admin:reports_kept"), {"day": "yesterday"})
    assert (wrong.status_code, wrong.context["kept"]) == (400, [])
    name = f"players-{ours.partner.slug if ours.partner else ''}-{ours.day}.csv"
    assert name in client.get(reverse("admin:report_kept", args=[ours.pk]))["Content-Disposition"]


@pytest.mark.usefixtures("committed")
def test_a_report_that_cannot_be_kept_leaves_the_others_to_be_kept_and_is_tried_again(
    superuser: psycopg.Connection,
) -> None:
    days = [timezone.now().date() - timedelta(days=number) for number in (3, 2, 1)]
    StatisticsDay.objects.bulk_create(StatisticsDay(day=day, zone="UTC", corrected=0) for day in days)
    ours, theirs, later = (partner_make() for _ in range(3))
    superuser.execute("UPDATE partner SET ctime = ctime - interval '1 month' WHERE id <> %s", [later.pk])
    superuser.execute(
        f"ALTER TABLE kept_report ADD CONSTRAINT fault CHECK (day <> '{days[1]}' OR partner_id <> {ours.pk})"
    )
    failing = {(days[1], name, ours.pk) for name, kind in REPORTS.items() if PARTNER_STAFF in kind.readers}
    try:
        with pytest.raises(ExceptionGroup) as failed:
            reports_keep()
    finally:
        superuser.execute("ALTER TABLE kept_report DROP CONSTRAINT fault")
    assert [error.__notes__ for error in failed.value.exceptions] == [
        [f"the report {name} of {days[1]}, {ours.slug}"] for name in REPORTS if (days[1], name, ours.pk) in failing
    ]
    due = {
        (day, name, partner)
        for day in days
        for name, kind in REPORTS.items()
        for partner in (None, ours.pk, theirs.pk)
        if partner is None or PARTNER_STAFF in kind.readers
    }
    assert _kept() == due - failing
    assert reports_keep() == 1
    assert _kept() == due
    assert reports_keep() == 0


def _kept() -> set[tuple[Any, ...]]:
    return set(KeptReport.objects.values_list("day", "name", "partner_id"))


@pytest.mark.django_db
def test_a_closed_guest_is_on_every_page_and_in_the_reports_however_its_entry_is_written(client: Client) -> None:
    partner_make(is_house=True)
    guests = [guest_open() for _ in range(2)]
    Player.objects.update(ctime=timezone.now() - timedelta(days=31))
    guest_close(player_id=guests[0].pk)
    _guest_closed_as_before(guests[1])
    entries = AuditEntry.objects.filter(action="player.status").order_by("id")
    events = SignificantEvent.objects.order_by("id")
    assert [(entry.data["before"], entry.data["after"]) for entry in entries] == [
        ({"status": "active"}, {"status": "blocked"}), ("active", "blocked"),
    ]  # fmt: skip
    client.force_login(staff_make(Role.AUDITOR))
    for guest, entry, event in zip(guests, entries, events, strict=True):
        for address in (
            reverse("admin:audit_auditentry_change", args=[entry.pk]),
            reverse("admin:events_significantevent_change", args=[event.pk]),
            reverse("admin:timeline", args=["player", guest.pk]),
            reverse("admin:player_file", args=[guest.pk]),
        ):
            page = client.get(address)
            assert page.status_code == 200, address
            assert "active" in page.content.decode(), address
            assert "blocked" in page.content.decode(), address
    today = timezone.now().date()
    StatisticsDay.objects.create(day=today, zone="UTC", corrected=0)
    assert reports_keep() == 1
    kept = {row.name: bytes(row.body).decode() for row in KeptReport.objects.filter(partner=None)}
    assert kept["alterations"].count("30 days,") == 2
    assert [kept["exclusions"].count(f",{guest.reference},") for guest in guests] == [1, 1]
    _are_no_exclusions_of_later_days(guests, today)


def _are_no_exclusions_of_later_days(guests: list[Player], today: date) -> None:
    """Thousands of guests are closed in a year. Each day lists its own, and a block by people until its end."""
    person, operator = player_make(), staff_make(Role.OPERATOR)
    player_status_set(operator=operator, player=person, status=PlayerStatus.BLOCKED, reason="asked for it")

    def listed(*days: int) -> list[Any]:
        period = Period(*(today + timedelta(days=number) for number in days))
        made = report_of(kind=REPORTS["exclusions"], period=period, scope=None, made_by="test")
        return [row[0] for row in made.table.rows]

    everybody = [*(guest.pk for guest in guests), person.pk]
    assert listed(0, 0) == listed(-3, 3) == everybody
    assert listed(1, 1) == [person.pk]
    for player in (guests[0], person):
        AuditEntry.objects.create(
            ctime=timezone.now() + timedelta(days=2), actor="test", action="player.status",
            subject=f"player {player.pk}", data={"after": {"status": "active"}},
        )  # fmt: skip
    assert listed(0, 0) == everybody
    assert listed(1, 1) == [person.pk]
    assert listed(2, 2) == [guests[0].pk, person.pk]
    assert listed(3, 3) == []


def _guest_closed_as_before(guest: Player) -> None:
    """Block a guest with the entry and the event that earlier versions wrote."""
    guest.status = PlayerStatus.BLOCKED
    guest.save()
    about: dict[str, Any] = {"actor": "platform", "partner_id": guest.partner_id, "subject": f"player {guest.pk}"}
    about["reason"] = "a guest without play for 30 days"
    AuditEntry.objects.create(**about, action="player.status", data={"before": "active", "after": "blocked"})
    SignificantEvent.objects.create(
        **about, kind="account_changed", component="player", before="active", after="blocked"
    )


@pytest.mark.django_db
def test_an_act_without_names_for_what_it_changed_is_refused() -> None:
    with pytest.raises(TypeError, match="before: named values are expected"), transaction.atomic():
        audit_record(
            actor="test", action="player.status", subject="player 1", data={"before": "active", "after": "blocked"}
        )
    assert not AuditEntry.objects.exists()
