"""What the void of a table's round moves, for those who void it and for those who approve."""

from collections.abc import Iterable

from django.utils.safestring import SafeString

from apps.approvals.details import ActDetails
from apps.core.money import amount_text
from apps.core.office_html import link_html, table_html, time_html
from apps.rounds.models import Round, RoundEnd
from apps.rounds.void_details import balance_change, wallets_of
from apps.tables.models import TableRound


def table_round_void_details(played: TableRound) -> ActDetails:
    """Return the seats of the round that is voided, and what that moves for each."""
    table = played.table
    seats = Round.objects.filter(table_round=played.pk).select_related("player", "currency", "void").order_by("seat")
    moved = [seat for seat in seats if seat.how_ended in (RoundEnd.OPEN, RoundEnd.PLAYED) and not hasattr(seat, "void")]
    wallets = wallets_of(moved)
    return ActDetails(
        [
            ("partner", table.partner),
            ("table", link_html("tables_gametable", table.pk, table)),
            ("round", link_html("tables_tableround", played.pk, f"number {played.number}")),
            ("began (UTC)", time_html(played.started_at)),
            ("seats", _seats(played, seats)),
        ],
        [("round", played.get_ending_display(), "voided")],
        [
            (f"balance of {seat.player}", *balance_change(seat, wallets, stake=seat.stake, payout=seat.payout))
            for seat in moved
        ],
    )


def _seats(played: TableRound, seats: Iterable[Round]) -> SafeString:
    rows = [
        (
            seat.seat,
            link_html("accounts_player", seat.player_id, seat.player),
            amount_text(seat.stake, seat.currency),
            amount_text(seat.payout, seat.currency),
        )
        for seat in seats
    ]
    empty = "No stake is placed." if played.table.currency_id else "It is played for points, which are no money."
    return table_html(("seat", "player", "stake, given back", "payout, taken back"), rows, empty=empty)
