"""Use cases of the player's pages."""

from collections.abc import Callable
from decimal import Decimal

from django.db import transaction

from apps.accounts.models import Player, User
from apps.core.database_errors import database_errors
from apps.core.errors import PlayerBlocked
from apps.fairness.services import seed_pair_lock
from apps.partners.models import Partner
from apps.portal.guests import PLAY_MONEY, guest_log_in_add
from apps.portal.refill import refill_case, refill_check
from apps.rounds.services import player_open
from apps.wallet.models import Kind
from apps.wallet.services import wallet_lock, wallet_move


@transaction.atomic(durable=True)
def player_sign_up(*, user_create: Callable[[], User], guest_id: int | None = None) -> User:
    """Create a log-in and its player of the house with the play grant of FUN, in one transaction.

    An open guest becomes that player as it is, without a movement of money.
    """
    user = user_create()
    if guest_id is not None and guest_log_in_add(player_id=guest_id, user=user):
        return user
    house = Partner.objects.get(is_house=True)
    player_open(partner=house, reference=user.username, currency_code=PLAY_MONEY, user=user)
    return user


@transaction.atomic(durable=True)
def wallet_refill(*, player: Player, currency_code: str) -> Decimal:
    """Bring the balance of a wallet of play money to the currency's grant, and return it.

    It is possible once a day in UTC, below the lowest offered bet, without an open round. Locks: the wallet, then the
    seed pair, so that no round begins meanwhile, not even one without a stake. Raises RefillRefused, InvalidCurrency,
    PlayerBlocked, Busy.
    """
    wallet = wallet_lock(player_id=player.pk, currency_code=currency_code)
    if not wallet.player.partner.active:
        raise PlayerBlocked("the casino of this account is closed; ask the operator")
    with database_errors():
        seed_pair_lock(player_id=player.pk)
    case = refill_case(wallet)
    refill_check(case)
    return wallet_move(
        wallet_id=wallet.pk,
        kind=Kind.REFILL,
        change=case.grant - case.balance,
        source_key=f"wallet:{wallet.pk}:{case.now:%Y-%m-%d}:refill",
        reason="play money, once a day",
    )
