"""The rows of a report as its page shows them."""

from decimal import Decimal

import pytest

from apps.office.report_lines import table_lines
from apps.reports.document import Cell, Table, WireName, amounts, cell_text, numbers, texts


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
