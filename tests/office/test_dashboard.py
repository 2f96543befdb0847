"""The first page of each role: its figures come from day rows alone, are in scope, and link to an existing list."""

import re
import socket
from calendar import day_name
from collections import Counter
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

from apps.accounts.models import PlayerStatus, Role
from apps.accounts.services import player_status_set
from apps.build.models import BuildCheck
from apps.core import metrics
from apps.core.metrics import ProcessMeter
from apps.dashboards.partner_setup import setup_steps
from apps.dashboards.tile import Tile
from apps.events.models import EventKind, SignificantEvent
from apps.evidence.models import EvidenceAlarm
from apps.one_deal.models import ConfigStatus
from apps.partners.models import ApiKey, Partner
from apps.partners.services import KeyLimits, api_key_create, api_key_restrict
from apps.rounds.models import Round
from apps.rounds.registry import games
from apps.rounds.services import round_void
from apps.statistics.models import FoldState, GameDay, PartnerHour, PlayerDay
from apps.switches.models import Switch
from apps.wallet.services import wallet_adjust
from tests.office.conftest import Casino
from tests.office.queries import ROLES
from tests.support.factories import partner_make, staff_make
from tests.support.office_browser import OfficeBrowser

LogIn = Callable[[str], Client]

PLAYED = {"partner_staff", "partner_auditor", "auditor", "operator"}
OWN_TILES = {
    "partner_staff": {"Open rounds", "Scheduled changes", "Pending odds"},
    "partner_auditor": {"Last proof", "Last seal", "Adjustments", "Voided rounds"},
    "auditor": {
        "Last proof", "Last seal", "Statistics closed up to", "Adjustments", "Voided rounds", "RTP alarms open",
        "Switched off", "Significant events", "Build check",
    },
    "operator": {
        "Bets a second", "Server processes", "Open rounds", "Statistics behind by", "Approvals waiting", "Adjustments",
        "Last seal", "RTP alarms open", "Switched off", "Significant events", "Bets, 99th percentile", "Open sockets",
        "Queue",
    },
}  # fmt: skip
OF_ALL = {"RTP alarms open", "Switched off", "Significant events", "Build check", "Open sockets", "Queue"}
"""Tiles for viewers of all partners."""


def day_make(casino: Casino, *, days_ago: int, stake: int, payout: int, player: Any = None) -> None:
    """Add the day rows of the partner's only player."""
    figures: dict[str, Any] = {
        "period": datetime.now(UTC).date() - timedelta(days=days_ago), "zone": "UTC", "partner": casino.partner,
        "currency_id": "FUN", "game": "og-baccarat", "n": 2, "stake": Decimal(stake), "payout": Decimal(payout),
        "voided_n": 0, "voided_stake": 0, "voided_payout": 0,
    }  # fmt: skip
    PlayerDay.objects.create(player=player or casino.player, **figures)
    GameDay.objects.create(bets=2, **figures)


def hour_make(
    casino: Casino, *, days_ago: int, hour: int, stake: int, payout: int, rounds: int = 2, bets: int | None = None
) -> None:
    """Add the row of an hour of the partner."""
    PartnerHour.objects.create(
        period=datetime.now(UTC).date() - timedelta(days=days_ago), zone="UTC", partner=casino.partner,
        currency_id="FUN", hour=hour, n=rounds, bets=bets, stake=Decimal(stake), payout=Decimal(payout), voided_n=0,
        voided_stake=0, voided_payout=0,
    )  # fmt: skip


def folded_until(hour: int, minute: int) -> None:
    """Let the statistics be complete up to this time of today."""
    today = datetime.now(UTC).replace(hour=hour, minute=minute)
    FoldState.objects.update_or_create(pk=1, defaults={"edge": today, "waits_for": []})


def tiles_of(browser: Client) -> dict[str, Tile]:
    return {tile.label: tile for tile in browser.get("/admin/").context["tiles"]}


@pytest.mark.parametrize("who", ROLES)
def test_each_role_has_its_tiles_and_each_leads_to_a_page_that_the_role_may_open(
    who: str, log_in: LogIn, ours: Casino, theirs: Casino
) -> None:
    day_make(ours, days_ago=0, stake=300, payout=200)
    day_make(ours, days_ago=7, stake=200, payout=150)
    day_make(theirs, days_ago=0, stake=1000, payout=0)
    for casino, days_ago, stake, payout in ((ours, 0, 300, 200), (ours, 7, 200, 150), (theirs, 0, 1000, 0)):
        hour_make(casino, days_ago=days_ago, hour=9, stake=stake, payout=payout)
    folded_until(10, 30)
    BuildCheck.objects.create(
        scope="all", by="test", version="1.2", manifest_hash="0" * 64, is_signed=True, found=0, differences=[]
    )
    browser = log_in(who)
    tiles = {tile.label: tile for tile in browser.get("/admin/").context["tiles"]}
    assert OWN_TILES[who] <= tiles.keys()
    of_all = who in ("auditor", "operator")
    assert of_all or not OF_ALL & tiles.keys()
    assert tiles["GGR today, FUN"].value == ("1,100.00 FUN" if of_all else "100.00 FUN")
    change = "+550" if of_all else "+50"
    assert tiles["Turnover today, FUN"].note == f"{change} % to 200.00 FUN a week ago, both by 10:00 UTC"
    assert tiles["Players today, FUN"].value == ("2" if of_all else "1")
    for tile in tiles.values():
        assert browser.get(tile.url).status_code == 200, tile


def test_today_is_compared_with_the_same_hours_and_only_with_those_that_are_over(log_in: LogIn, ours: Casino) -> None:
    staff = log_in("partner_staff")
    day_make(ours, days_ago=0, stake=350, payout=300)
    day_make(ours, days_ago=7, stake=1000, payout=800)
    for hour, stake, payout in ((9, 300, 270), (10, 50, 30)):
        hour_make(ours, days_ago=0, hour=hour, stake=stake, payout=payout)
    folded_until(10, 30)
    notes = {label: tile.note for label, tile in tiles_of(staff).items()}
    whole = "a week ago {} in the whole day"  # no hours were stored for that day
    assert notes["GGR today, FUN"] == whole.format("200.00 FUN")
    assert notes["Turnover today, FUN"] == whole.format("1,000.00 FUN")
    assert notes["Hold today, FUN"] == whole.format("20.00 %")
    assert notes["Players today, FUN"] == whole.format("1")
    for hour, stake, payout in ((8, 200, 180), (10, 500, 400), (20, 300, 220)):
        hour_make(ours, days_ago=7, hour=hour, stake=stake, payout=payout)
    tiles = tiles_of(staff)
    assert (tiles["Pending odds"].value, tiles["Pending odds"].note) == ("1", "for an operator's confirmation")
    assert (tiles["GGR today, FUN"].value, tiles["Turnover today, FUN"].value) == ("50.00 FUN", "350.00 FUN")
    notes = {label: tile.note for label, tile in tiles.items()}
    assert notes["GGR today, FUN"] == "+50 % to 20.00 FUN a week ago, both by 10:00 UTC"
    assert notes["Turnover today, FUN"] == "+50 % to 200.00 FUN a week ago, both by 10:00 UTC"
    assert notes["Hold today, FUN"] == "a week ago 10.00 % by 10:00 UTC"
    assert notes["Players today, FUN"] == whole.format("1")
    folded_until(0, 59)  # no hour is over
    assert tiles_of(staff)["GGR today, FUN"].note == whole.format("200.00 FUN")


@pytest.mark.parametrize("who", ["partner_staff", "auditor", "operator"])
def test_a_tile_leads_to_the_rows_that_it_counts(who: str, log_in: LogIn, ours: Casino, theirs: Casino) -> None:
    operator, wallet = staff_make(Role.OPERATOR), ours.player.wallets.get()
    wallet_adjust(operator=operator, wallet=wallet, change=Decimal(5), reason="a gift")
    player_status_set(operator=operator, player=theirs.player, status=PlayerStatus.BLOCKED, reason="asked for it")
    round_void(operator=operator, round=theirs.record.round, reason="a fault")
    for casino in (ours, theirs):
        Round.objects.create(
            partner=casino.partner, player=casino.player, currency_id="FUN", game="og-blackjack", nonce=99,
            seed_pair=casino.record.seed_pair, config_version=1, stake=2, balance_before=100, balance_after=98,
        )  # fmt: skip
    for is_off in (True, False):
        Switch.objects.create(scope="partner", key=f"{is_off}", is_off=is_off, reason="a test", by="test")
    browser = log_in(who)
    counted = {"Open rounds"} if who == "partner_staff" else {
        "Adjustments", "Voided rounds", "Blocked and unblocked", "Significant events", "Switched off",
        "RTP alarms open",
    }  # fmt: skip
    tiles = tiles_of(browser)
    if who != "partner_staff":
        (kind, count), *_ = Counter(SignificantEvent.objects.values_list("kind", flat=True)).most_common()
        assert f"{count} {EventKind(kind).label}" in tiles["Significant events"].note
    for label in counted:
        listed = browser.get(tiles[label].url).context["cl"].result_count
        assert str(listed) == tiles[label].value, label
    assert any(tiles[label].value != "0" for label in counted)


def test_a_tile_of_play_leads_to_its_report_of_the_day(log_in: LogIn, ours: Casino, theirs: Casino) -> None:
    day_make(ours, days_ago=0, stake=300, payout=200)
    day_make(ours, days_ago=1, stake=900, payout=0)
    day_make(theirs, days_ago=0, stake=1000, payout=0)
    staff = log_in("partner_staff")
    tiles = tiles_of(staff)

    def rows_behind(label: str) -> list[dict[str, Any]]:
        table = staff.get(tiles[label].url).context["report"].table
        return [dict(zip((column.name for column in table.columns), row, strict=True)) for row in table.rows]

    for label, column in (("GGR today, FUN", "ggr"), ("Turnover today, FUN", "stakes")):
        (row,) = rows_behind(label)
        assert f"{row[column]:.2f} FUN" == tiles[label].value
    assert [row["player"] for row in rows_behind("Players today, FUN") if row["game"] != "wallet"] == [ours.player.pk]


def test_what_is_off_open_or_unsealed_is_marked_and_named(log_in: LogIn, ours: Casino) -> None:
    Switch.objects.create(scope="partner", key=str(ours.partner.pk), is_off=True, reason="a test", by="test")
    EvidenceAlarm.objects.create(
        game="og-baccarat", kind="Player", law="0" * 64, is_play=False, part="all", measure="e", evidence=5,
        threshold=4, n=10,
    )  # fmt: skip
    tiles = {tile.label: tile for tile in log_in("operator").get("/admin/").context["tiles"]}
    marked = {label: (tiles[label].value, tiles[label].tone) for label in ("RTP alarms open", "Switched off")}
    assert marked == {"RTP alarms open": ("1", "bad"), "Switched off": ("1", "bad")}
    assert tiles["Switched off"].note == f"partner {ours.partner.name}"
    assert (tiles["Last seal"].value, tiles["Last seal"].tone) == ("none", "bad")


def test_the_first_page_is_there_when_nobody_counts_for_it(
    log_in: LogIn, ours: Casino, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics._Away, "until", 0.0)
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
    assert [_bar_width(row) for row in of_all] == [160.0, 1.0]
    assert [_bar_width(row) for row in page.context["by_game"]] == [160.0]
    assert theirs.partner.name not in page.content.decode()


def _bar_width(row: dict[str, Any]) -> float:
    drawn = re.search(r'<rect class="bar-plus" x="[0-9.]+" y="1" width="([0-9.]+)"', row["bar"])
    assert drawn is not None
    return float(drawn[1])


def test_partner_staff_see_the_hours_of_the_week_of_their_own_rounds(
    log_in: LogIn, ours: Casino, theirs: Casino
) -> None:
    for weeks in (1, 2):
        hour_make(ours, days_ago=7 * weeks, hour=20, stake=100, payout=90, rounds=30)
    hour_make(ours, days_ago=6, hour=3, stake=10, payout=9, rounds=1)
    hour_make(ours, days_ago=0, hour=1, stake=10, payout=9, rounds=5)  # the day is not over
    hour_make(theirs, days_ago=7, hour=5, stake=10, payout=9, rounds=900)
    page = log_in("partner_staff").get("/admin/")
    week = page.context["week"]
    assert [name for name, _ in week.rows] == list(day_name)
    filled = {
        (name, hour): (cell["rounds"], cell["heat"], cell["told"])
        for name, cells in week.rows
        for hour, cell in enumerate(cells)
        if cell["rounds"]
    }
    today = datetime.now(UTC).date()
    assert filled == {
        (f"{today:%A}", 20): (60, "heat-4", "turnover 200.00 FUN, GGR 20.00 FUN"),
        (f"{today - timedelta(days=6):%A}", 3): (1, "heat-1", "turnover 10.00 FUN, GGR 1.00 FUN"),
    }
    assert log_in("operator").get("/admin/").context["week"] is None


def test_operators_see_bets_a_second_by_hour_and_refusals_by_code(
    log_in: LogIn, ours: Casino, theirs: Casino, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics._Away, "until", 0.0)
    settings.PUNTO_REDIS_PREFIX = f"{settings.PUNTO_REDIS_PREFIX}:refusals"
    for hours, casino, bets in ((1, ours, 3600), (1, theirs, 1800), (2, ours, 3600), (2, theirs, None)):
        over = datetime.now(UTC) - timedelta(hours=hours)
        days_ago = (datetime.now(UTC).date() - over.date()).days
        hour_make(casino, days_ago=days_ago, hour=over.hour, stake=1, payout=1, rounds=1, bets=bets)
    meter = ProcessMeter()
    for code in ("RATE_LIMITED", "INSUFFICIENT_FUNDS", "RATE_LIMITED"):
        meter.refused(code)
    meter.tell()
    page = log_in("operator").get("/admin/").context
    assert len(page["rates"]) == 48
    assert [row["rate"] for row in page["rates"]] == ["0.0000"] * 46 + ["-", "1.5000"]
    assert [(row["code"], row["count"]) for row in page["refusals"]] == [("RATE_LIMITED", 2), ("INSUFFICIENT_FUNDS", 1)]
    of_auditor = log_in("auditor").get("/admin/").context
    assert (of_auditor["rates"], of_auditor["refusals"]) == ([], [])


def test_auditors_see_events_by_day_in_their_scope(log_in: LogIn, ours: Casino, theirs: Casino) -> None:
    now = datetime.now(UTC)
    about: dict[str, Any] = {"kind": "data_changed", "component": "test", "actor": "test"}
    before = log_in("auditor").get("/admin/").context["event_days"]
    for casino, days in ((ours, 2), (ours, 40), (theirs, 2)):
        at = now - timedelta(days=days)
        SignificantEvent.objects.create(**about, partner_id=casino.partner.pk, ctime=at)
    for who, more in (("auditor", 2), ("partner_auditor", 1)):
        found = log_in(who).get("/admin/").context["event_days"]
        assert len(found) == 30
        assert found[-3]["count"] == more
    assert before[-3]["count"] == 0
    assert log_in("operator").get("/admin/").context["event_days"] == []


def test_the_system_s_page_has_the_processes_and_the_waiting_tasks(
    log_in: LogIn, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metrics._Away, "until", 0.0)
    settings.PUNTO_REDIS_PREFIX = f"{settings.PUNTO_REDIS_PREFIX}:system"
    meter = ProcessMeter()
    for _ in range(3):
        meter.socket_opened()
        meter.answered(0.003)
    meter.tell()
    operator = log_in("operator")
    tiles = tiles_of(operator)
    page = operator.get(tiles["Open sockets"].url)
    assert (tiles["Server processes"].value, tiles["Server processes"].note) == ("1", "on 1 host")
    assert {
        tiles[label].url for label in ("Server processes", "Queue", "Bets, 99th percentile", "Statistics behind by")
    } == {reverse("admin:system")}
    assert [row[:3] for row in page.context["processes"]] == [(socket.gethostname(), 3, 3)]
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert "Redis does not answer" in operator.get(reverse("admin:system")).content.decode()


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


def test_the_set_up_of_a_new_partner_and_of_one_whose_limits_allow_no_bet(
    log_in: LogIn, browser_of: Callable[[str, Partner], OfficeBrowser], ours: Casino
) -> None:
    day_make(ours, days_ago=0, stake=300, payout=200)
    empty = partner_make()
    steps = {step.title: step for step in setup_steps(empty)}
    states = {title: step.state.value for title, step in steps.items() if step.state.value != "optional"}
    offers = {f"{game.title}: limits, odds, rules": "one is needed" for game in games()}
    assert states == {"Currency": "missing", "API key": "missing", "Test round": "missing", **offers}
    ours.config.odds_rows.update(status=ConfigStatus.INACTIVE)
    step = {step.title: step for step in setup_steps(ours.partner)}["Baccarat: limits, odds, rules"]
    assert step.state.value == "missing"
    assert step.text == "Limits are active and cannot be played. No bet has active odds: every bet is refused."
    operator = log_in("operator")
    assert operator.get(step.url).status_code == 200
    page = operator.get(reverse("admin:partner_setup", args=[empty.pk]))
    assert "Choose the default currency" in page.content.decode()
    assert "4 steps are missing" in page.content.decode()  # one game is enough
    newcomer = browser_of("partner_staff", empty)
    assert "4 steps of the <a" in newcomer.get("/admin/").content.decode()
    assert "of the <a" not in log_in("partner_staff").get("/admin/").content.decode()
    auditor = log_in("auditor").get(reverse("admin:partner_setup", args=[empty.pk])).content.decode()
    assert "Choose the default currency" not in auditor  # acts that the auditor may not do are not offered


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
    moved = [query["sql"] for query in caught if "wallet_transaction" in query["sql"]]
    assert [sql for sql in moved if "held.started_at >= " not in sql] == []
    assert browser.get(reverse("admin:reports")).status_code == 200
