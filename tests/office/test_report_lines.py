"""The rows of a report as its page shows them."""

from decimal import Decimal
from uuid import UUID

import pytest
from django.urls import reverse

from apps.accounts.models import Role, User
from apps.office.report_lines import table_lines
from apps.reports.document import Cell, CellKind, Column, Table, WireName, amounts, cell_text, numbers, texts

OPERATOR, STAFF = User(role=Role.OPERATOR), User(role=Role.PARTNER_STAFF, partner_id=7)


@pytest.mark.django_db
def test_a_reports_page_has_amounts_with_the_currencys_decimals_and_bets_in_words() -> None:
    columns = (*texts("kind", "currency"), *amounts("ggr"), *numbers("hold_pct"))
    rows: list[list[Cell]] = [
        [WireName("BaccaratGameBetTie", "Tie"), "EUR", Decimal("-1703"), Decimal("18.1437")],
        [None, "JPY", Decimal(7), Decimal("7.5")],
        ["total", "EUR", Decimal("0.125"), None],
    ]
    assert [column.title for column in columns] == ["kind", "currency", "GGR", "hold %"]
    shown = [[str(text) for _, text in line] for line in table_lines(Table(columns, rows), rows, viewer=OPERATOR)]
    assert shown == [
        ['<span title="BaccaratGameBetTie">Tie</span>', "EUR", "-1,703.00", "18.1437"],
        ["-", "JPY", "7", "7.5000"],
        ["total", "EUR", "0.125", "-"],  # no digit is lost
    ]
    assert cell_text(rows[0][0]) == "BaccaratGameBetTie"


@pytest.mark.django_db
def test_a_large_win_leads_to_its_event_its_round_and_the_replay() -> None:
    won = UUID("5c2b3b3c-7267-4770-a6c7-0513eb7fbb76")
    columns = [Column("event", CellKind.EVENT), Column("round", CellKind.ROUND), Column("replay", CellKind.REPLAY)]
    path = reverse("admin:replay", args=[won])
    table = Table(columns, [[17, won, path]])
    (event, of_round, replay) = (str(shown) for _, shown in next(table_lines(table, table.rows, viewer=OPERATOR)))
    assert event == f'<a href="{reverse("admin:events_significantevent_change", args=[17])}">17</a>'
    assert f'href="{reverse("admin:rounds_round_change", args=[won])}">5c2b3b3c</a>' in of_round
    assert replay == f'<a href="{path}">replay</a>'


@pytest.mark.django_db
def test_a_row_of_bets_leads_to_its_rounds_without_a_filter_that_the_viewer_has_not() -> None:
    rounds = {"bet": "BaccaratGameBetTie", "partner__id__exact": "7"}
    table = Table(texts("kind"), [[WireName("BaccaratGameBetTie", "Tie", rounds)]])
    ((_, of_all),) = next(table_lines(table, table.rows, viewer=OPERATOR))
    ((_, of_one),) = next(table_lines(table, table.rows, viewer=STAFF))
    listing, shown = reverse("admin:rounds_round_changelist"), '<span title="BaccaratGameBetTie">Tie</span>'
    assert of_all == f'<a href="{listing}?bet=BaccaratGameBetTie&amp;partner__id__exact=7">{shown}</a>'
    assert of_one == f'<a href="{listing}?bet=BaccaratGameBetTie">{shown}</a>'
