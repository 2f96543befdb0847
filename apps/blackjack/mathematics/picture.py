"""The chart as an SVG picture. Pure."""

from typing import Final
from xml.sax.saxutils import escape

from apps.blackjack.mathematics.chart import LEGEND, UPCARDS, Chart, chart_rows
from apps.blackjack.mathematics.hands import ACE

CELL_WIDTH: Final = 38
CELL_HEIGHT: Final = 24
LABEL_WIDTH: Final = 64
MARGIN: Final = 20

COLOURS: Final = {"H": "#f6d7a7", "S": "#f2b5b5", "D": "#b9d8f2", "P": "#c3e6bd", "R": "#dccbee"}
"""Light background colours for black letters. The letters alone have all the information."""


def chart_svg(chart: Chart, title: str) -> str:
    """Return the chart as one SVG document, which is readable without colours and has a title for screen readers."""
    body: list[str] = []
    top = MARGIN + 50
    body += _header(top)
    top += CELL_HEIGHT
    for part, rows in chart_rows(chart):
        body.append(_text(MARGIN, top + 20, part, weight="bold"))
        top += 28
        for label, cells in rows:
            body.append(_text(MARGIN + LABEL_WIDTH - 10, top + 16, label, anchor="end"))
            body += [_cell(column, top, cell) for column, cell in enumerate(cells)]
            top += CELL_HEIGHT
    for line in LEGEND:
        body.append(_text(MARGIN, top + 26, line, size=12))
        top += 20
    return _document(title, body, width=2 * MARGIN + LABEL_WIDTH + CELL_WIDTH * len(UPCARDS), height=top + 26)


def _document(title: str, body: list[str], *, width: int, height: int) -> str:
    frame = f'viewBox="0 0 {width} {height}" role="img" font-family="system-ui, sans-serif"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {frame}>',
            f"<title>{escape(title)}</title>",
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            _text(MARGIN, MARGIN + 14, title, size=15, weight="bold"),
            _text(MARGIN + LABEL_WIDTH, MARGIN + 40, "Dealer's upcard", size=12),
            *body,
            "</svg>",
            "",
        ]
    )


def _header(top: int) -> list[str]:
    names = ["A" if upcard == ACE else str(upcard + 1) for upcard in UPCARDS]
    return [_text(_middle(column), top + 16, name, anchor="middle", weight="bold") for column, name in enumerate(names)]


def _cell(column: int, top: int, cell: str) -> str:
    left = MARGIN + LABEL_WIDTH + column * CELL_WIDTH
    box = f'<rect x="{left}" y="{top}" width="{CELL_WIDTH}" height="{CELL_HEIGHT}"'
    box += f' fill="{COLOURS[cell[0]]}" stroke="#ffffff"/>'
    return box + _text(_middle(column), top + 17, cell, anchor="middle")


def _middle(column: int) -> int:
    return MARGIN + LABEL_WIDTH + column * CELL_WIDTH + CELL_WIDTH // 2


def _text(left: int, top: int, text: str, *, size: int = 14, anchor: str = "start", weight: str = "normal") -> str:
    style = f'font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" fill="#1a1a1a"'
    return f'<text x="{left}" y="{top}" {style}>{escape(text)}</text>'
