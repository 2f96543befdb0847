"""The registered games, and offers of all of them."""

from decimal import Decimal

from apps.partners.models import Partner
from apps.rounds.game_spec import DemoOffer, GameSpec
from apps.rounds.registry import games
from tests.support.long_form import IS_LONG


def games_tried() -> list[GameSpec]:
    """Return one game of each kind, a deal at once and one with turns; with `make soak` every game."""
    one_of_each_kind = {bool(game.page.socket_path): game for game in games()}
    return games() if IS_LONG else list(one_of_each_kind.values())


def games_offer(partner: Partner, currency: str = "FUN") -> None:
    """Let the partner offer each game in the currency as the demo does; existing offers stay as they are."""
    limits = {"bet_min": Decimal(1), "bet_max": Decimal(1000)}
    for game in games():
        if game.offer(partner.pk, currency) is None:
            game.demo_offer(DemoOffer(partner=partner, currency_code=currency, actor="test", **limits))
