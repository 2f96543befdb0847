"""Who asks for a bet, found before the body of the request is read.

Whether this player may bet is checked later, with each bet: `_context_load` in apps/one_deal/services.py.
"""

from typing import Final

import msgspec

from apps.core.api import bearer_of
from apps.core.body_limit import Scope
from apps.core.client_address import scope_address
from apps.core.errors import AuthenticationFailed
from apps.core.postgres_pool import pool
from apps.rounds.game_sessions import token_hash

_PLAYER_OF_SESSION: Final = """
    WITH noted AS (
        UPDATE game_session SET address = $3
        WHERE token_hash = $1 AND game = $2 AND address = '' AND expires_at > now() AND ended_at IS NULL
    )
    SELECT player_id FROM game_session WHERE token_hash = $1 AND game = $2
"""
"""It also stores the address that a session is first used from, so that no bet needs another statement for it."""
_PLAYER_OF_USER: Final = "SELECT id FROM player WHERE user_id = $1"
_MAX_REMEMBERED: Final = 100_000


class Bettor(msgspec.Struct, frozen=True, gc=False):
    """The holder of a game session's token, or a logged-in user. Exactly one of the two is set."""

    token_hash: str | None = None
    user_id: int | None = None


def token_bettor(authorization: str) -> Bettor:
    """Return the bettor with the token of an `Authorization` header. Raises AuthenticationFailed."""
    token = bearer_of(authorization)
    if token is None:
        raise AuthenticationFailed("a game session's token is expected: Authorization: Bearer <token>")
    return Bettor(token_hash=token_hash(token))


async def bettor_player_id(bettor: Bettor, game: str, scope: Scope) -> int:
    """Return the id of the player of a game session or a login, for the request of `scope`.

    It never changes, so it is cached; every bet checks whether the session is still valid. Raises
    AuthenticationFailed, Unavailable.
    """
    known = _players.get((bettor, game))
    if known is not None:
        return known
    if bettor.user_id is not None:
        rows = await pool().fetch(_PLAYER_OF_USER, bettor.user_id)
    else:
        rows = await pool().fetch(_PLAYER_OF_SESSION, bettor.token_hash, game, scope_address(scope))
    if not rows:
        raise AuthenticationFailed("no valid player session for this game came with the request")
    if len(_players) >= _MAX_REMEMBERED:
        _players.clear()
    player_id = _players[bettor, game] = int(rows[0][0])
    return player_id


_players: Final[dict[tuple[Bettor, str], int]] = {}
