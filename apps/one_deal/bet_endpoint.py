"""`POST /api/game/<game>/bet` of a one-deal game: one request places the bets, deals and settles."""

from functools import partial

from apps.one_deal.messages import slip_read
from apps.one_deal.one_deal_game import OneDealGame
from apps.one_deal.services import bet_place
from apps.rounds.bet_endpoint import BetEndpoint


def bet_endpoint(game: OneDealGame) -> BetEndpoint:
    """Return the endpoint at the game's bet path."""
    return BetEndpoint(game.id, slip_read, partial(bet_place, game))
