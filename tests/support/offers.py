"""Offers of all registered games."""

from decimal import Decimal

from apps.partners.models import Partner
from apps.rounds.game_spec import DemoOffer
from apps.rounds.registry import games


def games_offer(partner: Partner, currency: str = "FUN") -> None:
    """Let the partner offer each game in the currency as the demo does; existing offers stay as they are."""
    limits = {"bet_min": Decimal(1), "bet_max": Decimal(1000)}
    for game in games():
        if game.offer(partner.pk, currency) is None:
            game.demo_offer(DemoOffer(partner=partner, currency_code=currency, actor="test", **limits))
