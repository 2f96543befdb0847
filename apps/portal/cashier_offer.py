"""The offer of the partner's cashier to a player whose balance is too low for a bet."""

from typing import Any

from apps.portal.authentication import PagePlayer
from apps.portal.refill import lowest_bet
from apps.wallet.models import Wallet


def cashier_offer(page_player: PagePlayer, wallet: Wallet) -> dict[str, Any] | None:
    """Return the data of a page's offer, or None if the balance covers a bet. `url` may be empty. A log-in with play
    money gets the refill instead.
    """
    if wallet.currency.is_play and not page_player.token:
        return None
    lowest = lowest_bet(wallet, page_player.game)
    if wallet.balance and (lowest is None or wallet.balance >= lowest):
        return None
    return {"url": page_player.cashier_url}
