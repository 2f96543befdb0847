"""HTML of the ledger's movements, for the back office's pages."""

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from django.utils.html import format_html
from django.utils.safestring import SafeString

from apps.core.money import amount_text
from apps.core.office_html import link_html, raw_html, table_html
from apps.wallet.models import WalletTransaction

SHORT_ID: Final = 18
"""The characters of a partner's transaction id that lists show."""


def transactions_table(rows: Iterable[WalletTransaction]) -> SafeString:
    """Return movements with their chain; `wallet__currency` should be prefetched."""
    return table_html(
        ("id", "kind", "change", "balance after", "time (UTC)", "row", "round", "transaction id", "reason", "hash"),
        [
            (
                link_html("wallet_wallettransaction", row.pk, row.pk),
                row.get_kind_display(),
                change_html(row),
                amount_text(row.balance_after, row.wallet.currency),
                f"{row.ctime:%Y-%m-%d %H:%M:%S}",
                row.number,
                round_link(row.round_id),
                transaction_id_short(row),
                row.reason or "-",
                format_html('<code title="{0}">{1}…</code>', bytes(row.hash).hex(), bytes(row.hash).hex()[:12]),
            )
            for row in rows
        ],
    )


def change_html(row: WalletTransaction) -> SafeString:
    """Return a change with its sign and colour."""
    sign = "+" if row.change > 0 else ""
    return format_html(
        '<span class="{}">{}{}</span>',
        "plus" if row.change > 0 else "minus",
        sign,
        amount_text(row.change, row.wallet.currency),
    )


def round_link(round_id: UUID | None) -> SafeString | str:
    """Return a link to the round's page; `-` without a round."""
    if round_id is None:
        return "-"
    return link_html("rounds_round", round_id, str(round_id)[:8])


def transaction_id_short(row: WalletTransaction) -> SafeString | str:
    """Return the partner's own id of a transfer, for lists: a long one ends early, and is whole in its tool tip."""
    whole = row.transaction_id
    return raw_html(f"{whole[:SHORT_ID]}…", whole) if len(whole) > SHORT_ID else whole or "-"
