"""The demo's offer of a one-deal game."""

from decimal import Decimal

from django.db import transaction

from apps.accounts.actors import Actor
from apps.one_deal.configuration import OddsChange, config_set, odds_set
from apps.one_deal.models import ConfigStatus
from apps.one_deal.one_deal_game import OneDealGame
from apps.rounds.game_spec import DemoOffer


@transaction.atomic
def demo_offer(game: OneDealGame, offer: DemoOffer) -> None:
    """Offer the game's first bets; the others have odds but stay off until the partner turns them on."""
    if game.config_model._default_manager.filter(partner=offer.partner, currency=offer.currency_code).exists():
        return
    actor = Actor(offer.actor)
    config = config_set(
        game,
        partner=offer.partner,
        actor=actor,
        bet_min=offer.bet_min,
        bet_max=offer.bet_max,
        currency_code=offer.currency_code,
    )
    offered = set(config.odds_rows.values_list("game_type", flat=True))
    further = [
        OddsChange(config.pk, game_type, Decimal(odds.numerator) / odds.denominator, ConfigStatus.INACTIVE)
        for game_type, odds in game.standard_odds.items()
        if game_type not in offered
    ]
    if further:
        odds_set(game, partner=offer.partner, actor=actor, changes=further)
