"""The demo's offer of blackjack."""

from decimal import Decimal
from typing import Final

from apps.accounts.actors import Actor
from apps.blackjack.configuration import (
    STANDARD_PERFECT_PAIRS,
    STANDARD_POKER,
    BlackjackLimits,
    blackjack_limits_set,
    blackjack_terms_save,
)
from apps.blackjack.engine.rules import SOLO_RULES
from apps.blackjack.models import BlackjackConfig, BlackjackTerms
from apps.core.models import Currency
from apps.rounds.game_spec import DemoOffer

SIDE_BET_MAX: Final = Decimal(100)


def blackjack_demo_offer(offer: DemoOffer) -> None:
    """Offer the solo game with both side bets. The house edge of its rules is shipped, so it is active at once."""
    config = BlackjackConfig.objects.filter(partner=offer.partner, currency=offer.currency_code).first()
    actor = Actor(offer.actor)
    if config is None:
        config = blackjack_limits_set(
            partner=offer.partner,
            currency=Currency.objects.get(code=offer.currency_code),
            limits=BlackjackLimits(
                bet_min=offer.bet_min,
                bet_max=offer.bet_max,
                perfect_pairs_min=offer.bet_min,
                perfect_pairs_max=SIDE_BET_MAX,
                poker_min=offer.bet_min,
                poker_max=SIDE_BET_MAX,
            ),
            actor=actor,
        )
    if not BlackjackTerms.objects.filter(config=config).exists():
        blackjack_terms_save(
            config=config,
            rules=SOLO_RULES,
            perfect_pairs_odds=STANDARD_PERFECT_PAIRS,
            poker_odds=STANDARD_POKER,
            actor=actor,
        )
