"""Scheduled changes: each is tried out when it is scheduled, made once at its time, and stored unchanged."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction
from django.urls import reverse
from django.utils import timezone

from apps.accounts.actors import Actor
from apps.accounts.models import Role, User
from apps.audit.models import AuditEntry
from apps.baccarat.models import BaccaratConfig, BaccaratOddsConfig
from apps.blackjack.configuration import BlackjackLimits, blackjack_limits_set
from apps.blackjack.models import TermsStatus
from apps.blackjack.scheduled import blackjack_limits_save
from apps.core.errors import BadRequest, Conflict
from apps.core.subjects import row_in_words, subject_of
from apps.one_deal.models import ConfigStatus
from apps.partners.models import Partner
from apps.scheduled_changes.models import ChangeStatus, ScheduledChange
from apps.scheduled_changes.services import (
    MAX_WAIT,
    change_carry_out,
    change_in_words,
    change_schedule,
    changes_withdraw,
)
from apps.scheduled_changes.tasks import scheduled_changes_carry_out
from tests.office.conftest import Casino
from tests.support.factories import staff_make
from tests.support.office_browser import OfficeBrowser

LogIn = Callable[[str], OfficeBrowser]


TOMORROW = timedelta(days=1)


@pytest.fixture
def anna(ours: Casino) -> User:
    """A log-in of the partner's staff."""
    return staff_make(Role.PARTNER_STAFF, partner=ours.partner)


def limits_schedule(
    user: User, config: BaccaratConfig, bet_max: str, *, after: timedelta = TOMORROW, version: int | None = None
) -> ScheduledChange:
    payload = {"config": config.pk, "bet_min": "1", "bet_max": bet_max, "decks": 8}
    apply_at = timezone.now() + after
    return change_schedule(
        user=user, kind="baccarat.limits", config=config, payload=payload, apply_at=apply_at, version=version
    )


def two_days_pass(superuser: psycopg.Connection) -> None:
    """Make all changes due, in their order."""
    with superuser.transaction():
        superuser.execute("SET LOCAL session_replication_role = replica")
        superuser.execute("UPDATE scheduled_change SET apply_at = apply_at - interval '2 days'")


def fields_of(browser: OfficeBrowser, address: str) -> dict[str, str]:
    """Return the fields of a form as its page shows them."""
    shown = {field.name: field.value() for field in browser.get(address).context["form"]}
    return {name: "on" if value is True else str(value) for name, value in shown.items() if value not in (None, False)}


@pytest.mark.usefixtures("committed")
def test_each_form_schedules_its_change_which_is_made_at_its_time_in_the_name_of_who_scheduled_it(
    ours: Casino, log_in: LogIn, superuser: psycopg.Connection
) -> None:
    staff, config, blackjack = log_in("partner_staff"), ours.config, ours.partner.blackjack_configs.get()
    listing = reverse("admin:scheduled_changes_scheduledchange_changelist")
    apply_at = datetime.now(UTC) + TOMORROW
    of_baccarat, of_blackjack = "admin:baccarat_baccaratconfig_change_", "admin:blackjack_blackjackconfig_change_"
    for page, row, changed, told in (
        ("limits", config, {"bet_max": "250", "decks": "6"}, ["highest stake: 250", "decks: 6"]),
        ("odds", config, {"odds_1": "", "odds_2": "0.9", "odds_3": "12"}, ["Player: off", "Banker: 0.9 to 1"]),
        ("limits", blackjack, {"bet_max": "77"}, ["Highest bet: 77"]),
        ("terms", blackjack, {"pairs_mixedPair": "4"}, ["Perfect Pairs:", "mixed pair: 4 to 1", "decks: "]),
    ):
        address = reverse(f"{of_baccarat if row is config else of_blackjack}{page}", args=[row.pk])
        form = fields_of(staff, address) | changed | {"apply_at": f"{apply_at:%Y-%m-%dT%H:%M}"}
        answer = staff.post(address, form, follow=True)
        assert f"The change is scheduled for {apply_at:%Y-%m-%d %H:%M} UTC." in answer.content.decode(), address
        assert "Scheduled changes take effect at" in staff.get(address).content.decode()
        made = ScheduledChange.objects.latest("pk")
        shown = staff.get(reverse("admin:scheduled_changes_scheduledchange_change", args=[made.pk])).content.decode()
        assert [words for words in told if f"<div>{words}" not in shown] == [], address
        named = f'<span title="{row._meta.verbose_name} {row.pk}">{row_in_words(row)}</span>'
        assert named in staff.get(listing).content.decode()
    assert ScheduledChange.objects.count() == 4
    scheduled_changes_carry_out()
    config.refresh_from_db()
    blackjack.refresh_from_db()
    assert (config.bet_max, config.version, blackjack.bet_max) == (100, 1, Decimal(1000))
    two_days_pass(superuser)
    scheduled_changes_carry_out()
    config.refresh_from_db()
    blackjack.refresh_from_db()
    assert (config.bet_max, config.decks, config.version, blackjack.bet_max) == (250, 6, 3, 77)
    odds = BaccaratOddsConfig.objects.filter(baccarat_config=config)
    assert odds.get(game_type=2, status=ConfigStatus.ACTIVE).odds == Decimal("0.9")
    # Odds that favour the player wait for two operators, like odds that are saved by hand.
    assert odds.get(game_type=3, status=ConfigStatus.ACTIVE).odds == 8
    assert odds.get(game_type=3, status=ConfigStatus.PENDING).odds == 12
    assert blackjack.terms.get(status=TermsStatus.ACTIVE).perfect_pairs_odds["mixedPair"] == "4"
    name = staff.get("/admin/").context["user"].username
    for action in ("baccarat_config.set", "baccarat_odds.set", "blackjack.limits", "blackjack.terms"):
        assert AuditEntry.objects.filter(action=action, actor=name).count() == 1, action
    assert AuditEntry.objects.filter(action="change.carry_out", partner_id=ours.partner.pk).count() == 4
    assert {each.status for each in ScheduledChange.objects.all()} == {ChangeStatus.DONE}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"apply_at": "2026-01-01T00:00"}, f"a time in the next {MAX_WAIT.days} days"),
        ({"apply_at": "2999-01-01T00:00"}, f"a time in the next {MAX_WAIT.days} days"),
        ({"apply_at": "tomorrow"}, "Enter a valid date/time"),
        ({"bet_min": "500"}, "is above &quot;Highest stake&quot;"),
        ({"form_version": "7"}, "version 7 was read, and it is 1 now"),
    ],
)
def test_what_would_be_refused_at_once_is_not_scheduled_and_leaves_no_trace(
    ours: Casino, log_in: LogIn, fields: dict[str, str], said: str
) -> None:
    staff = log_in("partner_staff")
    address = reverse("admin:baccarat_baccaratconfig_change_limits", args=[ours.config.pk])
    tomorrow = {"apply_at": f"{datetime.now(UTC) + TOMORROW:%Y-%m-%dT%H:%M}"}
    answer = staff.post(address, fields_of(staff, address) | tomorrow | fields)
    assert answer.status_code == 200
    assert said in answer.content.decode()
    assert not ScheduledChange.objects.exists()
    ours.config.refresh_from_db()
    assert (ours.config.bet_max, ours.config.version, ours.config.history.count()) == (100, 1, 1)


def test_a_change_is_seen_by_its_partner_and_by_viewers_of_all_and_withdrawn_with_a_reason(
    ours: Casino, anna: User, log_in: LogIn, casino_new: Callable[[], Casino], browser_of: Any
) -> None:
    change = limits_schedule(anna, ours.config, "300")
    address = reverse("admin:scheduled_changes_scheduledchange_change", args=[change.pk])
    others = browser_of("partner_staff", casino_new().partner)
    assert others.get(address).status_code == 404
    config = reverse("admin:baccarat_baccaratconfig_change", args=[ours.config.pk])
    for who in ("partner_staff", "auditor", "operator"):
        viewer = log_in(who)
        assert anna.username in viewer.get(address).content.decode()
        assert f"{change.apply_at:%Y-%m-%d %H:%M:%S}" in viewer.get(config).content.decode()
        listed = viewer.get(reverse("admin:scheduled_changes_scheduledchange_changelist")).content.decode()
        assert f"baccarat limits of {ours.partner.name} in FUN" in listed
    several = log_in("partner_staff").get(reverse("admin:scheduled_changes_scheduledchange_bulk_withdraw"))
    assert f"UTC, baccarat limits of {ours.partner.name} in FUN" in several.content.decode()
    tile = next(each for each in log_in("partner_staff").get("/admin/").context["tiles"] if "Scheduled" in each.label)
    assert (tile.value, tile.note) == ("1", f"the next at {change.apply_at:%Y-%m-%d %H:%M} UTC")
    assert anna.username not in others.get(tile.url).content.decode()
    assert anna.username in log_in("partner_staff").get(tile.url).content.decode()
    withdraw = reverse("admin:scheduled_changes_scheduledchange_withdraw", args=[change.pk])
    assert others.post(withdraw, {"reason": "not ours"}).status_code == 404
    assert log_in("auditor").post(withdraw, {"reason": "seen"}).status_code == 403
    staff = log_in("partner_staff")
    assert staff.post(withdraw, {"reason": "the board said no"}, follow=True).status_code == 200
    change.refresh_from_db()
    assert (change.status, change.outcome) == (ChangeStatus.WITHDRAWN, "the board said no")
    assert AuditEntry.objects.get(action="change.withdraw").reason == "the board said no"
    assert f"{change.apply_at:%Y-%m-%d %H:%M:%S}" not in staff.get(config).content.decode()
    assert "this change is withdrawn already" in staff.post(withdraw, {"reason": "again"}).content.decode()


@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize("change_stops_it", [False, True])
def test_limits_at_a_chosen_time_leave_blackjack_as_offered_as_it_is_then(
    ours: Casino, anna: User, superuser: psycopg.Connection, change_stops_it: bool
) -> None:
    config = ours.partner.blackjack_configs.get()
    now, later = (BlackjackLimits(bet_min=Decimal(1), bet_max=Decimal(highest)) for highest in (50, 77))
    blackjack_limits_save(
        user=anna, config=config, limits=later, active=not change_stops_it, apply_at=timezone.now() + TOMORROW,
        version=config.version,
    )  # fmt: skip
    assert ("Blackjack is offered" in change_in_words(ScheduledChange.objects.get())) is change_stops_it
    if not change_stops_it:
        config = blackjack_limits_set(
            partner=ours.partner, currency=config.currency, limits=now, actor=Actor("anna"), active=False
        )
        assert not config.active
    two_days_pass(superuser)
    scheduled_changes_carry_out()
    config.refresh_from_db()
    assert (config.bet_max, config.active) == (77, False)


@pytest.mark.usefixtures("committed")
def test_a_change_that_is_refused_at_its_time_says_why_and_holds_up_no_other(
    ours: Casino, anna: User, superuser: psycopg.Connection, at_once: Callable[[int, Callable[[], object]], list[str]]
) -> None:
    ben = staff_make(Role.PARTNER_STAFF, partner=ours.partner)
    of_ben = limits_schedule(ben, ours.config, "200")
    later = limits_schedule(anna, ours.config, "400", after=TOMORROW + timedelta(minutes=2))
    sooner = limits_schedule(anna, ours.config, "300", after=TOMORROW + timedelta(minutes=1))
    User.objects.filter(pk=ben.pk).update(is_active=False)
    two_days_pass(superuser)
    assert at_once(3, scheduled_changes_carry_out) == ["ok", "ok", "ok"]
    scheduled_changes_carry_out()  # one of the three may have ended while another one was still at work
    of_ben.refresh_from_db()
    assert (of_ben.status, of_ben.outcome) == (
        ChangeStatus.REFUSED,
        "the log-in that scheduled it is closed",
    )
    assert AuditEntry.objects.get(action="change.refuse").reason == of_ben.outcome
    ours.config.refresh_from_db()
    assert (ours.config.bet_max, ours.config.version) == (400, 3)
    ends = ScheduledChange.objects.in_bulk([sooner.pk, later.pk])
    assert ends[sooner.pk].ended_at < ends[later.pk].ended_at
    assert change_carry_out(change_id=sooner.pk) is None


@pytest.mark.usefixtures("committed")
def test_a_change_of_the_staff_of_a_closed_partner_is_refused(
    ours: Casino, anna: User, superuser: psycopg.Connection
) -> None:
    change = limits_schedule(anna, ours.config, "300")
    Partner.objects.filter(pk=ours.partner.pk).update(active=False)
    two_days_pass(superuser)
    scheduled_changes_carry_out()
    change.refresh_from_db()
    assert (change.status, change.outcome) == (ChangeStatus.REFUSED, "the log-in that scheduled it is closed")


def test_changes_of_one_configuration_are_withdrawn_and_of_no_other(ours: Casino, anna: User) -> None:
    change, other = limits_schedule(anna, ours.config, "300"), limits_schedule(anna, ours.config, "400")
    ScheduledChange.objects.create(
        kind=other.kind, subject=subject_of(ours.pending), partner=ours.partner, payload=other.payload,
        apply_at=other.apply_at, asked_by=anna,
    )  # fmt: skip
    changes_withdraw(user=anna, config=ours.config, reason="a slip")
    assert set(ScheduledChange.objects.filter(status=ChangeStatus.WITHDRAWN)) == {change, other}
    assert ScheduledChange.objects.get(status=ChangeStatus.WAITING).subject == subject_of(ours.pending)


def test_a_partner_schedules_a_hundred_changes_at_most(ours: Casino, theirs: Casino, anna: User) -> None:
    change = limits_schedule(anna, ours.config, "200")
    fields = {"kind": change.kind, "subject": change.subject, "partner": ours.partner, "payload": change.payload}
    ScheduledChange.objects.bulk_create(
        [ScheduledChange(**fields, apply_at=change.apply_at, asked_by=anna) for _ in range(99)]
    )
    with pytest.raises(Conflict, match="100 changes wait already"):
        limits_schedule(anna, ours.config, "300")
    with pytest.raises(BadRequest):
        limits_schedule(anna, ours.config, "300", after=timedelta(0))
    limits_schedule(staff_make(Role.OPERATOR), theirs.config, "300")


@pytest.mark.parametrize(
    "change",
    [
        {"payload": {}},
        {"apply_at": datetime(2026, 1, 1, tzinfo=UTC)},
        {"status": "done", "ended_at": datetime(2030, 1, 1, tzinfo=UTC), "ended_by": "me"},
        {"status": "refused", "ended_at": datetime(2030, 1, 1, tzinfo=UTC), "ended_by": "me", "outcome": "x"},
        {"status": "withdrawn"},
        {"outcome": "x", "status": "withdrawn", "ended_at": datetime(2030, 1, 1, tzinfo=UTC)},
    ],
)
def test_the_database_keeps_what_was_scheduled_and_ends_it_once_and_not_too_early(
    ours: Casino, anna: User, change: dict[str, Any]
) -> None:
    row = limits_schedule(anna, ours.config, "200")
    rows = ScheduledChange.objects.filter(pk=row.pk)
    with pytest.raises(DatabaseError), transaction.atomic():
        rows.update(**change)
    with pytest.raises(DatabaseError), transaction.atomic():
        rows.delete()
    rows.update(status="withdrawn", ended_at=timezone.now(), ended_by="me", outcome="x")
    with pytest.raises(DatabaseError), transaction.atomic():
        rows.update(status="waiting", ended_at=None, ended_by="", outcome="")
    with pytest.raises(DatabaseError), transaction.atomic():
        ScheduledChange.objects.create(
            kind=row.kind, subject=row.subject, partner=ours.partner, payload={}, apply_at=timezone.now(),
            asked_by=anna, status="done", ended_at=timezone.now(), ended_by="me",
        )  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        "kind = 'x'",
        "subject = 'x'",
        "partner_id = partner_id + 1",
        "payload = '{}'",
        "apply_at = now()",
        "asked_by_id = asked_by_id + 1",
    ],
)
def test_not_even_the_owner_changes_what_was_scheduled(ours: Casino, anna: User, change: str) -> None:
    limits_schedule(anna, ours.config, "200")
    with pytest.raises(DatabaseError, match="is fixed"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"RESET ROLE; UPDATE scheduled_change SET {change}")
