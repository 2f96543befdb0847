"""What the void of a round moves, for those who void it and for those who approve."""

from collections.abc import Collection, Mapping
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
        [("balance", *balance_change(played, wallets_of([played]), stake=stake, payout=payout))],
    )


def wallets_of(rounds: Collection[Round]) -> dict[tuple[int, str], Wallet]:
    """Return the wallets of the rounds, by player and currency."""
    players, currencies = {each.player_id for each in rounds}, {each.currency_id for each in rounds}
    found = Wallet.objects.filter(player__in=players, currency__in=currencies)
    return {(wallet.player_id, wallet.currency_id): wallet for wallet in found}


def balance_change(
    played: Round, wallets: Mapping[tuple[int, str], Wallet], *, stake: Decimal, payout: Decimal
) -> tuple[str, str]:
    """Return the balance of the round's wallet now, and after a void that gives `stake` back and takes `payout`."""
    balance = wallets[played.player_id, played.currency_id].balance
    return amount_text(balance, played.currency), amount_text(balance + stake - payout, played.currency)


def ending_in_words(played: Round) -> str:
    """Return how the round has ended."""
    return "voided" if hasattr(played, "void") else played.get_how_ended_display()
