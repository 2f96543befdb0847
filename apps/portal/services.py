"""What a visitor does on the player's pages that writes."""

from collections.abc import Callable
from typing import Final

from django.db import transaction

from apps.accounts.models import User
from apps.partners.models import Partner
from apps.rounds.services import player_open

PLAY_MONEY: Final = "FUN"


@transaction.atomic(durable=True)
def player_sign_up(*, user_create: Callable[[], User]) -> User:
    """Create a log-in and open its account with the house, 1,000.00 FUN in it: both or neither."""
    user = user_create()
    house = Partner.objects.get(is_house=True)
    player_open(partner=house, reference=user.username, currency_code=PLAY_MONEY, user=user)
    return user
