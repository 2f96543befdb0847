"""The first page of each role: figures from the day rows alone, in scope, each leading to a list that is there."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Role
from apps.build.models import BuildCheck
from apps.core import meters
from apps.dashboards.setup import setup_steps
from apps.evidence.models import EvidenceAlarm
from apps.one_deal.models import ConfigStatus
from apps.partners.models import ApiKey
from apps.partners.services import KeyLimits, api_key_create, api_key_restrict
from apps.rounds.registry import games
from apps.statistics.models import GameDay, PlayerDay
from apps.switches.models import Switch
from tests.office.conftest import Casino
from tests.office.queries import ROLES
from tests.support.factories import partner_make, staff_make

LogIn = Callable[[str], Client]

PLAYED = {"partner_staff", "partner_auditor", "auditor", "operator"}
OWN_TILES = {
    "partner_staff": {"Open rounds", "Scheduled changes"},
    "partner_auditor": {"Last proof", "Last seal", "Adjustments", "Voided rounds"},
    "auditor": {
        "Last proof", "Last seal", "Statistics closed up to", "Adjustments", "Voided rounds", "RTP alarms open",
        "Switched off", "Significant events", "Build check",
    },
    "operator": {
        "Rounds a second", "Open rounds", "Statistics behind by", "Approvals waiting", "Adjustments", "Last seal",
        "RTP alarms open", "Switched off", "Significant events", "Bets, 99th percentile", "Open sockets", "Queue",
    },
}  # fmt: skip
OF_ALL = {"RTP alarms open", "Switched off", "Significant events", "Build check", "Open sockets", "Queue"}
"""Tiles for viewers of all partners."""


def day_make(casino: Casino, *, days_ago: int, stake: int, payout: int, player: Any = None) -> None:
    """Add the day rows of a player of the partner, who is the only one."""
    figures: dict[str, Any] = {
        "period": datetime.now(UTC).date() - timedelta(days=days_ago), "zone": "UTC", "partner": casino.partner,
        "currency_id": "FUN", "game": "og-baccarat", "n": 2, "stake": Decimal(stake), "payout": Decimal(payout),
        "voided_n": 0, "voided_stake": 0, "voided_payout": 0,
    }  # fmt: skip
    PlayerDay.objects.create(player=player or casino.player, **figures)
    GameDay.objects.create(bets=2, **figures)


@pytest.mark.parametrize("who", ROLES)
def test_each_role_has_its_tiles_and_each_leads_to_a_page_that_the_role_may_open(
    who: str, log_in: LogIn, ours: Casino, theirs: Casino
) -> None:
    day_make(ours, days_ago=0, stake=300, payout=200)
    day_make(ours, days_ago=7, stake=200, payout=150)
    day_make(theirs, days_ago=0, stake=1000, payout=0)
    BuildCheck.objects.create(
        scope="all", by="test", version="1.2", manifest_hash="0" * 64, is_signed=True, found=0, differences=[]
    )
    browser = log_in(who)
    tiles = {tile.label: tile for tile in browser.get("/admin/").context["tiles"]}
    assert OWN_TILES[who] <= tiles.keys()
    of_all = who in ("auditor", "operator")
    assert of_all or not OF_ALL & tiles.keys()
    assert tiles["GGR today, FUN"].value == ("1,100.00 FUN" if of_all else "100.00 FUN")
    assert tiles["Turnover today, FUN"].note == f"{'+550' if of_all else '+50'} % to 200.00 FUN a week ago"
    assert tiles["Players today, FUN"].value == ("2" if of_all else "1")
    for tile in tiles.values():
        assert browser.get(tile.url).status_code == 200, tile


def test_what_is_off_open_or_unsealed_is_marked_and_named(log_in: LogIn, ours: Casino) -> None:
    Switch.objects.create(scope="partner", key=str(ours.partner.pk), is_off=True, reason="a test", by="test")
    EvidenceAlarm.objects.create(
        game="og-baccarat", kind="Player", law="0" * 64, is_play=False, part="all", measure="e", evidence=5,
        threshold=4, n=10,
    )  # fmt: skip
    tiles = {tile.label: tile for tile in log_in("operator").get("/admin/").context["tiles"]}
    marked = {label: (tiles[label].value, tiles[label].tone) for label in ("RTP alarms open", "Switched off")}
    assert marked == {"RTP alarms open": ("1", "bad"), "Switched off": ("1", "bad")}
    assert tiles["Switched off"].note == f"partner {ours.partner.pk}"
    assert (tiles["Last seal"].value, tiles["Last seal"].tone) == ("none", "bad")


def test_the_first_page_is_there_when_nobody_counts_for_it(
    log_in: LogIn, ours: Casino, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meters._Away, "until", 0.0)
    browser = log_in("operator")
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    tiles = {tile.label: tile for tile in browser.get("/admin/").context["tiles"]}
    assert {(tiles[label].value, tiles[label].tone) for label in ("Open sockets", "Queue")} == {("unknown", "bad")}


def test_plots_have_each_day_and_sums_by_game_and_partner_are_in_scope(
    log_in: LogIn, ours: Casino, theirs: Casino
) -> None:
    day_make(ours, days_ago=3, stake=10, payout=4)
    day_make(theirs, days_ago=3, stake=1000, payout=0)
    page = log_in("partner_staff").get("/admin/")
    (plot,) = page.context["plots"]
    assert len(plot.rows) == 30
    assert [row["ggr"] for row in plot.rows if row["rounds"]] == ["6.00"]
    assert [row["ggr"] for row in page.context["by_game"]] == ["6.00 FUN"]
    assert page.context["by_partner"] == []
    of_all = log_in("operator").get("/admin/").context["by_partner"]
    assert [row["ggr"] for row in of_all] == ["1,000.00 FUN", "6.00 FUN"]
    assert theirs.partner.name not in page.content.decode()


def test_the_set_up_says_what_is_done_and_what_is_missing_and_leads_to_the_page_where_it_is_done(
    log_in: LogIn, ours: Casino, theirs: Casino
) -> None:
    staff = log_in("partner_staff")
    address = reverse("admin:partner_setup", args=[ours.partner.pk])
    page = staff.get(address)
    steps = {step.title: step for step in page.context["steps"]}
    assert {title: step.state.value for title, step in steps.items()} == {
        "Currency": "missing",
        "Baccarat: limits, odds, rules": "done",
        "Blackjack: limits, odds, rules": "done",
        "Dragon tiger: limits, odds, rules": "optional",
        "Frame origins": "optional",
        "API key": "missing",
        "Colleagues": "optional",
        "Test round": "done",
    }
    assert "No key in use has the scope sessions or wallets." in page.content.decode()
    assert address in staff.get("/admin/").content.decode()  # the sidebar leads to it
    for step in steps.values():
        assert step.url in page.content.decode()
        assert staff.get(step.url).status_code == 200, step
    assert staff.get(reverse("admin:partner_setup", args=[theirs.partner.pk])).status_code == 404
    key, _ = api_key_create(partner=ours.partner, name="all", scopes=["sessions", "wallets"], actor="test")
    ours.partner.default_currency_id = "FUN"
    ours.partner.frame_origins = ["https://casino.example"]
    ours.partner.save()
    staff_make(Role.PARTNER_STAFF, partner=ours.partner)
    states = {step.title: step.state.value for step in staff.get(address).context["steps"]}
    assert {title for title, state in states.items() if state != "done"} == {"Dragon tiger: limits, odds, rules"}
    assert "players can play" in staff.get(address).content.decode()
    api_key_restrict(key=key, limits=KeyLimits(timezone.now() + timedelta(days=1)), actor="test")
    over = timezone.now() - timedelta(days=2)
    ApiKey.objects.filter(pk=key.pk).update(ctime=over, expires_at=over + timedelta(days=1))
    assert "No key in use has the scope sessions or wallets." in staff.get(address).content.decode()


def test_the_set_up_of_a_new_partner_and_of_one_whose_limits_allow_no_bet(log_in: LogIn, ours: Casino) -> None:
    empty = partner_make()
    steps = {step.title: step for step in setup_steps(empty)}
    assert {title for title, step in steps.items() if step.state.value == "missing"} == {
        "Currency", "API key", "Test round", *(f"{game.title}: limits, odds, rules" for game in games())
    }  # fmt: skip
    ours.config.odds_rows.update(status=ConfigStatus.INACTIVE)
    step = {step.title: step for step in setup_steps(ours.partner)}["Baccarat: limits, odds, rules"]
    assert step.state.value == "missing"
    assert step.text == "Limits are active and cannot be played. No bet has active odds: every bet is refused."
    operator = log_in("operator")
    assert operator.get(step.url).status_code == 200
    page = operator.get(reverse("admin:partner_setup", args=[empty.pk]))
    assert "Choose the default currency" in page.content.decode()
    auditor = log_in("auditor").get(reverse("admin:partner_setup", args=[empty.pk])).content.decode()
    assert "Choose the default currency" not in auditor  # what the auditor may not do is not offered


@pytest.mark.parametrize("who", ROLES)
def test_the_first_page_sums_no_rounds_and_no_movements(who: str, log_in: LogIn, ours: Casino) -> None:
    day_make(ours, days_ago=0, stake=300, payout=200)
    browser = log_in(who)
    with CaptureQueriesContext(
        connection,
    ) as caught:
        assert browser.get("/admin/").status_code == 200
    read = [query["sql"] for query in caught if '"game_round"' in query["sql"]]
    unbounded = [sql for sql in read if "how_ended" not in sql and "started_at" not in sql and "round_void" not in sql]
    assert unbounded == []
    assert [query["sql"] for query in caught if "wallet_transaction" in query["sql"]] == []
    assert browser.get(reverse("admin:reports")).status_code == 200
