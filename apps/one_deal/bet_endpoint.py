"""`POST /api/game/<game>/bet` of a one-deal game on the event loop: login, rate limit, and answer.

An error is answered by `refusal_of` (apps/core/api.py), one of PostgreSQL as apps/core/database_errors.py says.
"""

from collections.abc import Mapping
from typing import Final
from uuid import uuid4

import structlog
from django.conf import settings

from apps.core import json
from apps.core.api import JSON_TYPE, InternalError, error_body, error_headers, refusal_of
from apps.core.bet_rate_limits import reconciled_limit
from apps.core.body_limit import Receive, Scope, Send
from apps.core.browser_login import browser_user_id
from apps.core.client_address import scope_address
from apps.core.errors import AuthenticationFailed, DomainError, MethodNotAllowed
from apps.core.invalid_key_limits import token_attempt_check, token_attempt_failed
from apps.one_deal.messages import slip_read
from apps.one_deal.one_deal_game import OneDealGame
from apps.one_deal.services import bet_place
from apps.rounds.bettor_identity import Bettor, bettor_player_id, token_bettor
from apps.rounds.outage_watch import play_failure_count

_HEADERS: Final = ((b"content-type", JSON_TYPE.encode()), (b"x-content-type-options", b"nosniff"))

logger = structlog.get_logger(__name__)


class BetEndpoint:
    """The bets of one game, for a game session's token or a logged-in player's browser. An ASGI application.

    Bets do not pass Django's middleware. A placed bet is in the ledger; a refused one is logged here.
    """

    def __init__(self, game: OneDealGame) -> None:
        self._game = game

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        # The first of repeated headers counts.
        headers: dict[bytes, bytes] = dict(reversed(scope["headers"]))
        authorization = headers.get(b"authorization")
        try:
            if authorization is not None and settings.PUNTO_BAD_TOKENS_PER_S is not None:
                token_attempt_check(scope_address(scope))
            if scope["method"] != "POST":
                raise MethodNotAllowed("a bet is placed with POST", allowed="POST")
            await _respond(send, 200, _HEADERS, await self._bet(scope, receive, headers))
        except _Gone:
            return
        except Exception as error:
            refusal = refusal_of(error)
            if refusal is None:
                logger.exception("request_failed", request=scope["path"])
                refusal = InternalError("something went wrong on our side; it is in our log")
            elif authorization is not None and isinstance(refusal, AuthenticationFailed):
                token_attempt_failed(scope_address(scope))
            play_failure_count(refusal)
            await _refuse(scope, send, refusal)

    async def _bet(self, scope: Scope, receive: Receive, headers: Mapping[bytes, bytes]) -> bytes:
        authorization = headers.get(b"authorization")
        if authorization is not None:
            bettor, body = token_bettor(str(authorization, "latin-1")), None
        else:
            body = await _body_read(receive)
            bettor = Bettor(user_id=await browser_user_id(scope, body))
        if settings.PUNTO_BETS_PER_S is not None:
            player_id = await bettor_player_id(bettor, self._game.id, scope)
            reconciled_limit("bet", settings.PUNTO_BETS_PER_S).check(player_id)
        if body is None:
            body = await _body_read(receive)
        key = headers.get(b"idempotency-key")
        slip = slip_read(body, None if key is None else str(key, "latin-1"))
        return await bet_place(self._game, bettor=bettor, slip=slip)


class _Gone(Exception):
    """The client disconnected during its request."""


async def _body_read(receive: Receive) -> bytes:
    """Return the body; `BodyLimit` limits its length."""
    body = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Gone
        part: bytes = message.get("body", b"")
        body += part
        if not message.get("more_body", False):
            return body


async def _refuse(scope: Scope, send: Send, error: DomainError) -> None:
    request = f"{scope['method']} {scope['path']}"
    logger.info("request_finished", code=error.http_status, request=request, request_id=str(uuid4()))
    more = tuple((name.lower().encode(), text.encode()) for name, text in error_headers(error).items())
    await _respond(send, error.http_status, _HEADERS + more, json.encode(error_body(error, scope["path"])[0]))


async def _respond(send: Send, status: int, headers: tuple[tuple[bytes, bytes], ...], body: bytes) -> None:
    length = (b"content-length", b"%d" % len(body))
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body})
