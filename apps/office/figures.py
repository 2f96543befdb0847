"""Figures as the pages show them (templates/office/figures.html)."""

from collections.abc import Sequence
from typing import Any

from apps.core.money import amount_text
from apps.office.selectors import ReportRow
from apps.rounds.registry import game_title


def row_texts(row: ReportRow, split: Sequence[str]) -> dict[str, Any]:
    """Return one row of a table of figures; its first cells are those of `split`."""
    return {
        "keys_shown": [_key_text(row, name) for name in split],
        "rounds": row.rounds,
        "bets": row.bets,
        "stakes": amount_text(row.stakes, row.currency),
        "payouts": amount_text(row.payouts, row.currency),
        "ggr": amount_text(row.ggr, row.currency),
        "is_loss": row.ggr < 0,
        "hold_pct": row.hold_pct,
        "voided": row.voided,
        "voided_stakes": amount_text(row.voided_stakes, row.currency),
        "voided_payouts": amount_text(row.voided_payouts, row.currency),
    }


def _key_text(row: ReportRow, name: str) -> str:
    if name == "partner":
        return "-" if row.partner is None else f"{row.partner.name} ({row.partner.slug})"
    if name == "game":
        return game_title(row.game or "")
    return str(getattr(row, name))
