"""Bars in the rows of a table, as SVG without inline styles: their colours are classes of the page's style sheet."""

from collections.abc import Sequence
from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString

WIDTH: Final = 160
HEIGHT: Final = 14


def bars(values: Sequence[float], *, reach: float = 0) -> list[SafeString]:
    """Return a bar for each value, from 0 to the left or right, on one axis. The figure itself is in the row's text.

    The axis reaches to the highest value, and to `reach` at least.
    """
    low, high = min([0.0, *values]), max([0.0, reach, *values])
    span = (high - low) or 1

    def place(value: float) -> float:
        return WIDTH * (value - low) / span

    return [_bar(place(0), place(value)) for value in values]


def _bar(zero: float, end: float) -> SafeString:
    return format_html(
        '<svg class="bar" width="{0}" height="{1}" viewBox="0 0 {0} {1}" aria-hidden="true">'
        '<rect class="bar-{2}" x="{3}" y="1" width="{4}" height="{5}"/>'
        '<line x1="{6}" x2="{6}" y1="0" y2="{1}"/></svg>',
        WIDTH,
        HEIGHT,
        "minus" if end < zero else "plus",
        f"{min(zero, end):.1f}",
        f"{abs(end - zero):.1f}",
        HEIGHT - 2,
        f"{zero:.1f}",
    )
