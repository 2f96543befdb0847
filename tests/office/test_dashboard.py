"""The first page of each role: figures from the day rows alone, in scope, each leading to a list that is there."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.statistics.models import PlayerDay
from apps.tables.models import TablePlayer
from tests.office.conftest import Casino
from tests.office.queries import ROLES
from tests.support.factories import player_make

LogIn = Callable[[str], Client]

PLAYED = {"partner_staff", "partner_auditor", "auditor", "operator"}
OWN_TILES = {
    "partner_staff": {"Open rounds"},
    "partner_auditor": {"Last proof", "Last seal", "Adjustments", "Voided rounds"},
    "auditor": {"Last proof", "Last seal", "Statistics closed up to", "Adjustments", "Voided rounds"},
    "operator": {"Rounds a second", "Open rounds", "Statistics behind by", "Approvals waiting", "Adjustments"},
}


def day_make(casino: Casino, *, days_ago: int, stake: int, payout: int, player: Any = None) -> None:
    """Add a day row of a player of the partner."""
    PlayerDay.objects.create(
        period=datetime.now(UTC).date() - timedelta(days=days_ago), zone="UTC", partner=casino.partner,
        player=player or casino.player, currency_id="FUN", game="og-baccarat", n=2, stake=Decimal(stake),
        payout=Decimal(payout), voided_n=0, voided_stake=0, voided_payout=0,
    )  # fmt: skip


@pytest.mark.parametrize("who", ROLES)
def test_each_role_has_its_tiles_and_each_leads_to_a_page_that_the_role_may_open(
    who: str, log_in: LogIn, ours: Casino, theirs: Casino
) -> None:
    day_make(ours, days_ago=0, stake=300, payout=200)
    day_make(ours, days_ago=7, stake=200, payout=150)
    day_make(theirs, days_ago=0, stake=1000, payout=0)
    browser = log_in(who)
    tiles = {tile.label: tile for tile in browser.get("/admin/").context["tiles"]}
    assert OWN_TILES[who] <= tiles.keys()
    of_all = who in ("auditor", "operator")
    assert tiles["GGR today, FUN"].value == ("1,100.00 FUN" if of_all else "100.00 FUN")
    assert tiles["Turnover today, FUN"].note == f"{'+550' if of_all else '+50'} % to 200.00 FUN a week ago"
    assert tiles["Players today, FUN"].value == ("2" if of_all else "1")
    for tile in tiles.values():
        assert browser.get(tile.url).status_code == 200, tile


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


def test_practice_bots_are_in_no_figure(log_in: LogIn, ours: Casino) -> None:
    bot = player_make(partner=ours.partner)
    TablePlayer.objects.create(player=bot, is_bot=True)
    day_make(ours, days_ago=0, stake=500, payout=0, player=bot)
    assert log_in("operator").get("/admin/").context["by_game"] == []


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
