"""Every game on offer, whichever there are."""

from decimal import Decimal

from apps.partners.models import Partner
from apps.rounds.game_spec import DemoOffer
from apps.rounds.registry import games


def games_offer(partner: Partner) -> None:
    """Have the partner offer each game in FUN, as the demo does; what it offers already stays as it is."""
    for game in games():
        if game.offer(partner.pk, "FUN") is None:
            game.demo_offer(
                DemoOffer(partner=partner, currency_code="FUN", bet_min=Decimal(1), bet_max=Decimal(1000), actor="test")
            )
