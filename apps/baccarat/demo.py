"""What the demo has a partner offer of baccarat."""

from decimal import Decimal

from django.db import transaction

from apps.baccarat.engine import STANDARD_ODDS
from apps.baccarat.models import BaccaratConfig, ConfigStatus
from apps.baccarat.services import Actor, OddsChange, baccarat_config_set, baccarat_odds_set
from apps.rounds.game_spec import DemoOffer


@transaction.atomic
def baccarat_demo_offer(offer: DemoOffer) -> None:
    """Offer the first three bets; the others have their odds and are off until the partner turns them on."""
    if BaccaratConfig.objects.filter(partner=offer.partner, currency=offer.currency_code).exists():
        return
    actor = Actor(offer.actor)
    config = baccarat_config_set(
        partner=offer.partner,
        actor=actor,
        bet_min=offer.bet_min,
        bet_max=offer.bet_max,
        currency_code=offer.currency_code,
    )
    offered = set(config.odds_rows.values_list("game_type", flat=True))
    further = [
        OddsChange(config.pk, game_type, Decimal(odds.numerator) / odds.denominator, ConfigStatus.INACTIVE)
        for game_type, odds in STANDARD_ODDS.items()
        if game_type not in offered
    ]
    baccarat_odds_set(partner=offer.partner, actor=actor, changes=further)
