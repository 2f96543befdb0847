"""The rows of a report as its page shows them."""

from collections.abc import Sequence

from django.utils.safestring import SafeString

from apps.core.office_html import link_html
from apps.reports.document import Cell, CellKind, Table, cell_shown


def table_line(table: Table, row: Sequence[Cell]) -> list[tuple[bool, str | SafeString]]:
    """Return for each cell of a row whether it is a number, and its text or link."""
    return [
        (column.kind is CellKind.NUMBER, _shown(column.kind, value))
        for column, value in zip(table.columns, row, strict=True)
    ]


def _shown(kind: CellKind, value: Cell) -> str | SafeString:
    match kind:
        case CellKind.ROUND if value is not None:
            return link_html("rounds_round", value, str(value)[:8])
        case CellKind.PLAYER if value is not None:
            return link_html("accounts_player", value, value)
        case _:
            return cell_shown(value)
