"""Reading what every game shares."""

from decimal import Decimal

from apps.core.errors import InvalidCurrency
from apps.wallet.models import Wallet


def balance_read(*, player_id: int, currency_code: str) -> Decimal:
    """Return what the player's wallet holds, in units of its currency. Raises InvalidCurrency."""
    balance: Decimal | None = (
        Wallet.objects.filter(player_id=player_id, currency_id=currency_code).values_list("balance", flat=True).first()
    )
    if balance is None:
        raise InvalidCurrency(f"the player has no wallet in {currency_code}")
    return balance
