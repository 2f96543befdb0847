"""`POST /api/game/baccarat/bet`: one deal, one to ten bets on it (docs/baccarat.md)."""

from typing import Final

from apps.baccarat.apps import GAME_ID
from apps.baccarat.messages import bet_read
from apps.baccarat.services import baccarat_bet_place
from apps.rounds.bettors import Bettor
from apps.rounds.endpoint import BetEndpoint


async def bet_place(*, bettor: Bettor, body: bytes, key: str | None) -> bytes:
    """Place the bets that a body asks for. Raises what reading and placing them raise."""
    slip, idempotency = bet_read(body, key)
    return await baccarat_bet_place(bettor=bettor, slip=slip, idempotency=idempotency)


ENDPOINT: Final = BetEndpoint(GAME_ID, bet_place)
