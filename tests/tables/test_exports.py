"""Exports of tables' rounds for auditors: a list as CSV, and full records from which each round can be dealt again."""

import csv
import io
import json
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Role
from apps.audit.models import AuditEntry
from apps.partners.models import Partner
from apps.tables.models import TableRound
from apps.tables.story import TableRoundStory, table_rounds_ready
from tests.support.factories import staff_make
from tests.support.table_play import PlayedTable
from tests.support.tables import players_make, table_make

pytestmark = pytest.mark.usefixtures("committed")

LIST = "admin:tables_tableround_export"
RECORDS = "admin:tables_tableround_records"


def logged_in(role: Role, partner: Partner | None = None) -> Client:
    client = Client()
    client.force_login(staff_make(role, partner=partner))
    return client


def played(game_type: str, currency: str | None) -> PlayedTable:
    partner, players = players_make(2)
    return PlayedTable(table_make(partner, game_type=game_type, currency=currency, window_s=30, turn_s=60), players)


def text_of(answer: Any) -> str:
    assert answer.status_code == 200
    return b"".join(answer.streaming_content).decode()


@pytest.mark.parametrize(
    ("game_type", "currency"),
    [
        pytest.param("baccarat", "FUN", id="money"),
        pytest.param("blackjack", None, id="points"),
    ],
)
def test_a_list_has_a_line_for_each_round_with_its_sums(game_type: str, currency: str | None) -> None:
    table = played(game_type, currency)
    ended = table.round_play()
    table.next_window()
    rows = list(csv.DictReader(io.StringIO(text_of(logged_in(Role.AUDITOR).get(reverse(LIST))))))
    by_id = {row["id"]: row for row in rows}
    assert set(by_id) == {str(each.pk) for each in TableRound.objects.all()}
    row = by_id[str(ended.pk)]
    results = ended.detail["results"]
    assert (row["ending"], row["currency"], row["seats_staked"]) == ("settled", currency or "points", "2")
    assert Decimal(row["staked"]) == sum(Decimal(str(each["stakes"])) for each in results)
    assert Decimal(row["paid"]) == sum(Decimal(str(each["payout"])) for each in results)
    assert (row["seed"], row["commitment"], row["nonce"]) == (ended.seed, ended.seed_hash, str(ended.nonce))
    running = by_id[str(table.round.pk)]
    assert (running["ending"], running["seed"], running["staked"]) == ("running", "", "0")


def test_a_full_record_has_all_that_the_round_is_dealt_again_from() -> None:
    ended = played("blackjack", "FUN").round_play()
    (line,) = text_of(logged_in(Role.AUDITOR).get(reverse(RECORDS), {"q": str(ended.pk)})).splitlines()
    record = json.loads(line)
    assert (record["roundId"], record["seed"], record["shoe"]) == (str(ended.pk), ended.seed, ended.shoe)
    assert (record["gameType"], record["currency"], record["tableId"]) == ("blackjack", "FUN", str(ended.table_id))
    story = TableRoundStory(table_rounds_ready(TableRound.objects.filter(pk=ended.pk)).get())
    assert len(record["actions"]) == len(story.actions)
    assert [result["seat"] for result in record["results"]] == story.seats


def test_an_auditor_of_a_partner_exports_its_own_rounds_alone() -> None:
    ours, theirs = played("baccarat", "FUN"), played("baccarat", "FUN")
    wanted, _other = ours.round_play(), theirs.round_play()
    auditor = logged_in(Role.AUDITOR, ours.table.partner)
    lines = text_of(auditor.get(reverse(RECORDS))).splitlines()
    assert {json.loads(line)["tableId"] for line in lines} == {str(wanted.table_id)}
    assert text_of(auditor.get(reverse(LIST))).count(str(theirs.table.pk)) == 0


@pytest.mark.parametrize("address", [LIST, RECORDS])
def test_partner_staff_export_their_own_rounds_alone_and_unknown_parameters_are_refused(address: str) -> None:
    ours, theirs = played("baccarat", "FUN"), played("baccarat", "FUN")
    ours.round_play()
    theirs.round_play()
    text = text_of(logged_in(Role.PARTNER_STAFF, ours.table.partner).get(reverse(address)))
    assert (str(ours.table.pk) in text, str(theirs.table.pk) in text) == (True, False)
    entry = AuditEntry.objects.get(action="list.export")
    assert (entry.partner_id, entry.data["form"]) == (ours.table.partner_id, "csv" if address == LIST else "records")
    assert logged_in(Role.AUDITOR).get(reverse(address), {"format": "xml"}).status_code == 400


def test_the_list_links_to_both_exports() -> None:
    page = logged_in(Role.AUDITOR).get(reverse("admin:tables_tableround_changelist"), {"ending__exact": "settled"})
    text = page.content.decode()
    assert 'href="export/?ending__exact=settled"' in text
    assert 'href="export/records/?ending__exact=settled"' in text
