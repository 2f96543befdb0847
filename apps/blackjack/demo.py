"""The demo's offer of blackjack."""

from decimal import Decimal
from typing import Final

from apps.accounts.actors import Actor
from apps.blackjack.configuration import BlackjackLimits, blackjack_limits_set
from apps.blackjack.models import BlackjackConfig
from apps.core.models import Currency
from apps.rounds.game_spec import DemoOffer

MAX_SIDE_BET: Final = Decimal(100)


def blackjack_demo_offer(offer: DemoOffer) -> None:
    """Offer the solo game with both side bets. The house edge of its rules is shipped, so it is active at once."""
    if not BlackjackConfig.objects.filter(partner=offer.partner, currency=offer.currency_code).exists():
        blackjack_limits_set(
            partner=offer.partner,
            currency=Currency.objects.get(code=offer.currency_code),
            limits=BlackjackLimits(
                bet_min=offer.bet_min,
                bet_max=offer.bet_max,
                perfect_pairs_min=offer.bet_min,
                perfect_pairs_max=MAX_SIDE_BET,
                poker_min=offer.bet_min,
                poker_max=MAX_SIDE_BET,
            ),
            actor=Actor(offer.actor),
        )
