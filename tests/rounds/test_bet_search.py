"""The list of rounds by their bets: it is searched newest first, in stretches, as far as its time allows."""

import csv
import io
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from urllib.parse import parse_qsl

import psycopg
import pytest
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.accounts.models import Role
from apps.rounds import bet_search
from apps.rounds.bet_search import BetSearchPaginator
from apps.rounds.bets_sql import has_bet
from apps.rounds.models import Round
from tests.support.copied_rounds import banker_player, banker_results, days_ago, rounds_copy
from tests.support.factories import partner_make, staff_make

pytestmark = pytest.mark.usefixtures("committed")
BET = {"bet": "BaccaratGameBetOnBanker"}


@pytest.fixture
def days(superuser: psycopg.Connection) -> list[datetime]:
    """A round of each of ten days, the newest first, and one that began now."""
    times = [days_ago(number) for number in range(1, 11)]
    rounds_copy(superuser, banker_player(partner_make()), banker_results(10, again=0, seed=1), at=times.__getitem__)
    return times


def search(*, search_s: float, stretch_rounds: int, asked: str = "", **bounds: datetime) -> BetSearchPaginator:
    rows = Round.objects.filter(has_bet(kind=BET["bet"]), **bounds).order_by("-started_at")
    return BetSearchPaginator(rows, 4, asked=QueryDict(asked), search_s=search_s, stretch_rounds=stretch_rounds)


def test_all_rounds_are_found_in_order_whatever_the_stretches_are(days: list[datetime]) -> None:
    expected = list(Round.objects.order_by("-started_at"))
    for stretch_rounds in (1, 3, 100):
        found = search(search_s=60, stretch_rounds=stretch_rounds)
        assert (found.count, found.searched_since) == (11, None)
        assert [row for number in found.page_range for row in found.page(number).object_list] == expected
    by_stake = search(search_s=60, stretch_rounds=3)
    by_stake.object_list = by_stake.object_list.order_by("-payout", "-pk")
    ordered = [row for number in by_stake.page_range for row in by_stake.page(number).object_list]
    assert ordered == list(Round.objects.order_by("-payout", "-pk"))


def test_a_search_that_takes_too_long_stops_and_tells_where_to_go_on(days: list[datetime]) -> None:
    found = search(search_s=0, stretch_rounds=3, asked="bet=x&p=2")
    assert found.count == 4  # those of the first stretch: after, and at, the fourth newest
    assert found.searched_since == days[2]
    assert dict(parse_qsl(found.older_query)) == {"bet": "x", "started_at_to": f"{days[2].date()}"}


def test_a_search_begins_and_ends_with_the_days_that_are_asked_for(days: list[datetime]) -> None:
    found = search(search_s=60, stretch_rounds=1, started_at__gte=days[5], started_at__lt=days[2])
    with CaptureQueriesContext(connection) as queries:
        assert found.count == 3
    assert len(queries) <= 8  # an edge and a stretch for each of the three rounds, and no more


def test_an_export_by_bets_is_read_in_stretches_and_in_memory_as_far_as_its_time_allows(
    days: list[datetime], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bet_search, "STRETCH_ROUNDS", 3)
    client = Client()
    client.force_login(staff_make(Role.OPERATOR))
    export = partial(reverse, "admin:rounds_round_export_as")
    expected = [str(key) for key in Round.objects.order_by("-started_at").values_list("pk", flat=True)]
    with CaptureQueriesContext(connection) as queries:
        answer: Any = client.get(export(args=["csv"]), BET)
        lines = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert [line["id"] for line in lines] == expected
    read = [each["sql"] for each in queries if "asked_kind" in each["sql"]]
    assert len(read) >= 4
    assert not [sql for sql in read if '"terms"' not in sql]  # the list's own search reads keys alone
    assert not [sql for sql in read if '"started_at" <' not in sql and '"started_at" >=' not in sql]
    assert client.get(export(args=["xlsx"]), BET).status_code == 200
    monkeypatch.setattr(bet_search, "SEARCH_S", 0)
    refused = client.get(export(args=["xlsx"]), BET)
    assert refused.status_code == 400
    assert "takes too long for this form: filter by days too" in refused.content.decode()


def test_the_list_reads_the_rounds_of_its_page_by_their_keys(days: list[datetime]) -> None:
    client = Client()
    client.force_login(staff_make(Role.OPERATOR))
    today = datetime.now(UTC).date()
    asked = {**BET, "started_at_from": today - timedelta(days=3), "started_at_to": today - timedelta(days=2)}
    with CaptureQueriesContext(connection) as queries:
        page = client.get(reverse("admin:rounds_round_changelist"), asked)
    assert [row.started_at for row in page.context["cl"].result_list] == days[1:3]
    searched = [each["sql"] for each in queries if "asked_kind" in each["sql"]]
    assert len(searched) == 2  # one stretch, and the rows of the page
    assert '"game_round"."id" IN (' in searched[1]
