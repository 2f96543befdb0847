"""Names of people: viewers of one partner see the names of its own log-ins, and "platform staff" for all others."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import override_settings
from django.urls import reverse
from django.utils import timezone

from apps.accounts.actors import actor_of_user
from apps.accounts.models import PlayerStatus, Role, User
from apps.accounts.services import player_status_set
from apps.approvals.services import act_or_ask
from apps.baccarat.one_deal_game import BACCARAT
from apps.core.actor_names import PLATFORM_STAFF, shown_actor
from apps.core.errors import OutdatedVersion
from apps.events.models import SignificantEvent
from apps.evidence.services import rtp_publication_set
from apps.office.reports import REPORTS, report_of
from apps.one_deal.configuration import config_set, odds_confirm
from apps.player_files.services import player_note_add
from apps.reports.period import Period
from apps.rounds.models import Round
from apps.rounds.services import round_void
from apps.scheduled_changes.services import change_schedule
from apps.statistics.services import partner_zone_set
from apps.tables.table_administration import table_configure
from apps.tables.table_creation import RoomOptions
from apps.wallet.services import wallet_adjust
from tests.office.conftest import Casino
from tests.support.factories import user_make
from tests.support.office_browser import OfficeBrowser

LogIn = Callable[[str], OfficeBrowser]

ZOE = "zoe.of.the.platform"
"""The operator's name, which occurs nowhere else on a page."""
CARLA = "carla.of.the.partner"
"""The name of one of the partner's staff."""


def person(name: str, role: Role, casino: Casino | None = None) -> User:
    user = user_make(role=role, partner=None if casino is None else casino.partner)
    user.username = name
    user.save()
    return user


@pytest.fixture
def acted(ours: Casino) -> Casino:
    """The partner, after an operator and one of its staff have done every act that shows who did it."""
    zoe, carla = person(ZOE, Role.OPERATOR), person(CARLA, Role.PARTNER_STAFF, ours)
    for status in (PlayerStatus.BLOCKED, PlayerStatus.ACTIVE):
        player_status_set(operator=zoe, player=ours.player, status=status, reason="a test")
    for user in (zoe, carla):
        player_note_add(user=user, player=ours.player, text="a note", is_internal=False)
        now = timezone.now()
        limits = {"config": ours.config.pk, "bet_min": "1", "bet_max": "50", "decks": 8}
        change_schedule(
            user=user, kind="baccarat.limits", config=ours.config, payload=limits, apply_at=now + timedelta(days=1)
        )
    round_void(operator=zoe, round=Round.objects.get(pk=ours.record.round_id), reason="camera failed")
    odds_confirm(BACCARAT, operator=zoe, row=ours.pending, reason="a gift")
    limits_save(ours, zoe, most=60)
    limits_save(ours, carla, most=70)
    options = RoomOptions(game_type="baccarat", currency_code="FUN", name="Salon", seats=3)
    table_configure(table=ours.table, user=zoe, options=options)
    day = timezone.now().date() + timedelta(days=9)
    partner_zone_set(partner=ours.partner, zone="Asia/Tokyo", from_day=day, actor=ZOE, actor_user_id=zoe.pk)
    rtp_publication_set(partner=ours.partner, is_allowed=False, actor=ZOE, actor_user_id=zoe.pk)
    with override_settings(PUNTO_TWO_PERSONS=True):
        wallet = ours.player.wallets.get()
        act_or_ask(
            call=lambda: wallet_adjust(operator=zoe, wallet=wallet, change=Decimal(5000), reason="a test"),
            user=zoe,
            factor_at=timezone.now(),
        )
    return ours


def limits_save(casino: Casino, user: User, *, most: int, version: int | None = None) -> None:
    config_set(
        BACCARAT, partner=casino.partner, actor=actor_of_user(user), currency_code="FUN", bet_min=Decimal(1),
        bet_max=Decimal(most), decks=8, version=version,
    )  # fmt: skip


def pages_of(casino: Casino) -> list[str]:
    """Return the pages and files that say who did something."""
    event = SignificantEvent.objects.filter(kind="account_changed", partner_id=casino.partner.pk).latest("pk")
    lists = (
        "events_significantevent", "audit_auditentry", "rounds_roundvoid", "approvals_approval",
        "scheduled_changes_scheduledchange", "statistics_partnerzone", "evidence_rtppublication",
    )  # fmt: skip
    of_rows = {
        "events_significantevent_change": event.pk,
        "baccarat_baccaratconfig_change": casino.config.pk,
        "baccarat_baccaratconfig_history": casino.config.pk,
        "baccarat_baccaratoddsconfig_change": casino.pending.pk,
        "rounds_round_change": casino.record.round_id,
        "tables_gametable_change": casino.table.pk,
        "player_file": casino.player.pk,
        "replay": casino.record.round_id,
    }
    day = f"?length=day&until={timezone.now():%Y-%m-%d}&zone=UTC"
    return [
        *(reverse(f"admin:{name}_changelist") for name in lists),
        *(reverse(f"admin:{name}", args=[key]) for name, key in of_rows.items()),
        reverse("admin:timeline", args=["player", casino.player.pk]),
        reverse("admin:timeline", args=["baccaratconfig", casino.config.pk]),
        *(reverse("admin:rounds_round_export_as", args=[form]) for form in ("csv", "jsonl", "print")),
        *(reverse("admin:report", args=[name]) + day for name in ("exclusions", "alterations")),
    ]


def text_of(answer: Any) -> str:
    """Return the text of an answer, which is a page or a streamed file."""
    return (answer.getvalue() if answer.streaming else answer.content).decode()


def test_partners_viewers_read_no_name_of_the_platform_s_people(acted: Casino, log_in: LogIn) -> None:
    operator = log_in("operator")
    viewers = {who: log_in(who) for who in ("partner_staff", "partner_auditor")}
    named = 0
    for page in pages_of(acted):
        text = text_of(operator.get(page))
        named += ZOE in text
        for who, browser in viewers.items():
            answer = browser.get(page)
            shown = text_of(answer)
            assert ZOE not in shown, (who, page)
            if answer.status_code == 200 and ZOE in text:
                assert PLATFORM_STAFF in shown, (who, page)
                assert (CARLA in shown) == (CARLA in text), (who, page)
    assert named > 15


def test_partners_viewers_do_not_find_out_names_by_a_search(acted: Casino, log_in: LogIn) -> None:
    for listing in ("events_significantevent", "audit_auditentry"):
        asked = reverse(f"admin:{listing}_changelist") + f"?q={ZOE}"
        assert log_in("operator").get(asked).context["cl"].result_count > 0
        assert log_in("partner_auditor").get(asked).context["cl"].result_count == 0, listing


def test_a_stale_form_and_a_stale_call_of_a_partner_say_who_it_was_in_the_same_words(
    acted: Casino, log_in: LogIn
) -> None:
    zoe, carla = (User.objects.get(username=name) for name in (ZOE, CARLA))
    for user in (zoe, carla):  # on no page, like the partner API
        with pytest.raises(OutdatedVersion) as refused:
            limits_save(acted, user, most=80, version=1)
        assert f"{PLATFORM_STAFF} at" in refused.value.message
        assert f"{CARLA} at" in refused.value.message
        assert ZOE not in refused.value.message
    address = reverse("admin:baccarat_baccaratconfig_change_limits", args=[acted.config.pk])
    form = {"bet_min": "1", "bet_max": "90", "decks": "8", "form_version": "1"}
    told = {who: text_of(log_in(who).post(address, form)) for who in ("operator", "partner_staff")}
    assert f"{ZOE} at" in told["operator"]
    assert ZOE not in told["partner_staff"]
    assert f"{PLATFORM_STAFF} at" in told["partner_staff"]


def test_kept_reports_of_a_partner_are_for_its_viewers(acted: Casino) -> None:
    today = timezone.now().date()
    asked = {"kind": REPORTS["exclusions"], "period": Period(today, today), "made_by": "the platform"}
    of_partner = report_of(**asked, scope=acted.partner)
    of_all = report_of(**asked, scope=None)
    assert [row[5:7] for row in of_partner.table.rows] == [[PLATFORM_STAFF, PLATFORM_STAFF]]
    assert [row[5:7] for row in of_all.table.rows] == [[ZOE, ZOE]]


def test_what_is_no_person_keeps_its_name(ours: Casino) -> None:
    for name in ("platform", "API key punto_ab", f"partner {ours.partner.slug}", "-", ""):
        assert shown_actor(name, partner_id=ours.partner.pk) == name
    assert shown_actor(f"{CARLA} and {ZOE}", partner_id=ours.partner.pk) == PLATFORM_STAFF
