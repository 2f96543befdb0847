"""What the void of a round moves, for those who void it and for those who approve."""

from decimal import Decimal

from apps.approvals.details import ActDetails
from apps.core.money import amount_text
from apps.core.office_html import link_html, time_html
from apps.rounds.models import Round
from apps.rounds.registry import game_title
from apps.wallet.models import Wallet


def round_void_details(played: Round, *, stake: Decimal, payout: Decimal) -> ActDetails:
    """Return whose round is voided, and what that moves if its stake and payout are these."""
    player = played.player
    return ActDetails(
        [
            ("partner", player.partner),
            ("player", link_html("accounts_player", player.pk, player.reference)),
            ("game", game_title(played.game)),
            ("round", link_html("rounds_round", played.pk, played.pk)),
            ("began (UTC)", time_html(played.started_at)),
            ("stakes, given back", amount_text(stake, played.currency)),
            ("payout, taken back", amount_text(payout, played.currency)),
        ],
        [("round", ending_in_words(played), "voided")],
        [("balance", *balance_change(played, stake=stake, payout=payout))],
    )


def balance_change(played: Round, *, stake: Decimal, payout: Decimal) -> tuple[str, str]:
    """Return the balance of the round's wallet now, and after its void."""
    balance = Wallet.objects.get(player=played.player_id, currency=played.currency_id).balance
    return amount_text(balance, played.currency), amount_text(balance + stake - payout, played.currency)


def ending_in_words(played: Round) -> str:
    """Return how the round has ended."""
    return "voided" if hasattr(played, "void") else played.get_how_ended_display()
