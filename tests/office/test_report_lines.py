"""The rows of a report as its page shows them."""

from decimal import Decimal
from uuid import UUID

import pytest
from django.urls import reverse

from apps.office.report_lines import table_lines
from apps.reports.document import Cell, CellKind, Column, Table, WireName, amounts, cell_text, numbers, texts


@pytest.mark.django_db
def test_a_reports_page_has_amounts_with_the_currencys_decimals_and_bets_in_words() -> None:
    columns = (*texts("kind", "currency"), *amounts("ggr"), *numbers("hold_pct"))
    rows: list[list[Cell]] = [
        [WireName("BaccaratGameBetTie", "Tie"), "EUR", Decimal("-1703"), Decimal("18.1437")],
        [None, "JPY", Decimal(7), None],
        ["total", "EUR", Decimal("0.125"), None],
    ]
    assert [column.title for column in columns] == ["kind", "currency", "GGR", "hold %"]
    shown = [[str(text) for _, text in line] for line in table_lines(Table(columns, rows), rows)]
    assert shown == [
        ['<span title="BaccaratGameBetTie">Tie</span>', "EUR", "-1,703.00", "18.1437"],
        ["-", "JPY", "7", "-"],
        ["total", "EUR", "0.125", "-"],  # no digit is lost
    ]
    assert cell_text(rows[0][0]) == "BaccaratGameBetTie"


@pytest.mark.django_db
def test_a_large_win_leads_to_its_round_and_to_the_replay() -> None:
    won = UUID("5c2b3b3c-7267-4770-a6c7-0513eb7fbb76")
    table = Table([Column("round", CellKind.ENDED_ROUND)], [[won]])
    ((_, shown),) = next(table_lines(table, table.rows))
    assert f'href="{reverse("admin:rounds_round_change", args=[won])}">5c2b3b3c</a>' in shown
    assert f'href="{reverse("admin:replay", args=[won])}">replay</a>' in shown
