"""The rows of a report as its page shows them."""

from collections.abc import Iterator, Sequence

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from apps.core.models import Currency
from apps.core.office_html import link_html, raw_html
from apps.reports.document import Cell, CellKind, Column, Table, WireName, cell_shown


def table_lines(table: Table, rows: Sequence[Sequence[Cell]]) -> Iterator[list[tuple[bool, str | SafeString]]]:
    """Yield each row: for each cell whether it is a number, and its text or link.

    Amounts have all decimals of the row's currency, so that the points of a column are below each other.
    """
    decimals = dict(Currency.objects.values_list("code", "decimals"))
    place = next((place for place, column in enumerate(table.columns) if column.name == "currency"), None)
    for row in rows:
        places = 0 if place is None else decimals.get(str(row[place]), 0)
        yield [
            (column.is_number, _shown(column, value, places)) for column, value in zip(table.columns, row, strict=True)
        ]


def _shown(column: Column, value: Cell, decimals: int) -> str | SafeString:
    match column.kind:
        case CellKind.ROUND if value is not None:
            return link_html("rounds_round", value, str(value)[:8])
        case CellKind.ENDED_ROUND if value is not None:
            page = link_html("rounds_round", value, str(value)[:8])
            return format_html('{} <a href="{}">replay</a>', page, reverse("admin:replay", args=[value]))
        case CellKind.PLAYER if value is not None:
            return link_html("accounts_player", value, value)
        case CellKind.AMOUNT:
            return cell_shown(value, decimals=decimals)
    return raw_html(value.words, value.name) if isinstance(value, WireName) else cell_shown(value)
