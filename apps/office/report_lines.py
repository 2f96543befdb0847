"""The rows of a report as its page shows them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from apps.core.models import Currency
from apps.core.office_html import link_html, raw_html
from apps.core.staff_scope import Viewer, sees_all_partners
from apps.reports.document import Cell, CellKind, Column, RoundCount, Table, WireName, cell_shown
from apps.rounds.filters import PARTNER_FILTER

_ROUNDS: Final = "admin:rounds_round_changelist"


def table_lines(
    table: Table, rows: Sequence[Sequence[Cell]], *, viewer: Viewer
) -> Iterator[list[tuple[bool, str | SafeString]]]:
    """Yield each row: for each cell whether it is a number, and its text or link, to pages that the viewer may see.

    Amounts have all decimals of the row's currency, and other numbers those of their column's finest one, so that the
    points of a column are below each other.
    """
    decimals = dict(Currency.objects.values_list("code", "decimals"))
    place = next((place for place, column in enumerate(table.columns) if column.name == "currency"), None)
    hidden = () if sees_all_partners(viewer) else (PARTNER_FILTER,)
    finest = [max((_decimals(row[at]) for row in rows), default=0) for at in range(len(table.columns))]
    for row in rows:
        places = 0 if place is None else decimals.get(str(row[place]), 0)
        yield [
            (column.is_number, _shown(column, value, places if column.kind is CellKind.AMOUNT else most, hidden))
            for column, value, most in zip(table.columns, row, finest, strict=True)
        ]


def _decimals(value: Cell) -> int:
    return max(0, -int(value.normalize().as_tuple().exponent)) if isinstance(value, Decimal) else 0


def _shown(column: Column, value: Cell, decimals: int, hidden: Collection[str]) -> str | SafeString:
    match column.kind:
        case CellKind.ROUND if value is not None:
            return link_html("rounds_round", value, str(value)[:8])
        case CellKind.REPLAY if value is not None:
            return format_html('<a href="{}">replay</a>', value)
        case CellKind.EVENT if value is not None:
            return link_html("events_significantevent", value, value)
        case CellKind.PLAYER if value is not None:
            return link_html("accounts_player", value, value)
        case CellKind.AMOUNT | CellKind.NUMBER:
            shown = cell_shown(value, decimals=decimals)
            return _rounds_link(value.rounds, shown, hidden) if isinstance(value, RoundCount) and value else shown
    if not isinstance(value, WireName):
        return cell_shown(value)
    return _rounds_link(value.rounds, raw_html(value.words, value.name), hidden)


def _rounds_link(filters: Mapping[str, str], shown: str | SafeString, hidden: Collection[str]) -> str | SafeString:
    """Return a link to the list of rounds with the filters, if there are any that the viewer's list has."""
    query = urlencode({name: text for name, text in filters.items() if name not in hidden})
    return format_html('<a href="{}?{}">{}</a>', reverse(_ROUNDS), query, shown) if query else shown
