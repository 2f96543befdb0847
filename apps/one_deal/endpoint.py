"""`POST /api/game/<game>/bet` of a game of one deal: its bets are placed, dealt and settled by one request."""

from apps.one_deal.game_rules import OneDealGame
from apps.one_deal.messages import bet_read
from apps.one_deal.services import bet_place
from apps.rounds.bettors import Bettor
from apps.rounds.endpoint import BetEndpoint


def bet_endpoint(game: OneDealGame) -> BetEndpoint:
    """Return what answers at the game's bet path."""

    async def place(*, bettor: Bettor, body: bytes, key: str | None) -> bytes:
        slip, idempotency = bet_read(body, key)
        return await bet_place(game, bettor=bettor, slip=slip, idempotency=idempotency)

    return BetEndpoint(game.id, place)
