"""Draws an interval as a small SVG without inline styles: its colours are classes of the page's style sheet."""

from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString

from apps.evidence.observed import Observed

WIDTH: Final = 240
HEIGHT: Final = 22
_MIDDLE: Final = HEIGHT / 2


def whisker_svg(observed: Observed | None, *, rtp: float, low: float, high: float) -> SafeString:
    """Return the observed RTP with its intervals at 95 and 99 % on an axis from `low` to `high`."""
    if observed is None or high <= low:
        return SafeString("")

    def place(value: float) -> str:
        return f"{min(max((value - low) / (high - low), 0), 1) * WIDTH:.1f}"

    return format_html(
        '<svg class="whisker" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img"'
        ' aria-label="{2} %, from {3} to {4} % at 95 %">'
        '<line class="whisker-rtp" x1="{5}" x2="{5}" y1="1" y2="{6}"/>'
        '<line class="whisker-99" x1="{7}" x2="{8}" y1="{9}" y2="{9}"/>'
        '<line class="whisker-95" x1="{10}" x2="{11}" y1="{9}" y2="{9}"/>'
        '<circle class="whisker-point" cx="{12}" cy="{9}" r="4"/></svg>',
        WIDTH,
        HEIGHT,
        *(f"{100 * value:.3f}" for value in (observed.rtp, observed.low, observed.high)),
        place(rtp),
        HEIGHT - 1,
        place(observed.low_99),
        place(observed.high_99),
        _MIDDLE,
        place(observed.low),
        place(observed.high),
        place(observed.rtp),
    )
