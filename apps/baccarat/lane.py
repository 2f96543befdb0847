"""The short way for bets: with a token no session, cookie or page is concerned, and no middleware has to look."""

from functools import partial
from typing import Final
from uuid import uuid4

import structlog
from django.conf import settings

from apps.baccarat.bet_api import BET_PATH, LIMIT, order_read, token_bettor
from apps.baccarat.selectors import bettor_player_id
from apps.baccarat.services import baccarat_bet, baccarat_bet_place
from apps.core import json
from apps.core.api import JSON_TYPE, InternalError, error_body, error_headers
from apps.core.attempts import token_attempt_check, token_attempt_failed
from apps.core.bodies import Application, Receive, Scope, Send
from apps.core.errors import AuthenticationFailed, DomainError, MethodNotAllowed, Outpaced
from apps.core.limits import limit_check_awaited
from apps.core.lines import answer_awaited
from apps.core.threads import in_thread
from apps.core.visitors import scope_address

Headers = tuple[tuple[bytes, bytes], ...]

logger = structlog.get_logger(__name__)

_HEADERS: Final = ((b"content-type", JSON_TYPE.encode()), (b"x-content-type-options", b"nosniff"))


class BetLane:
    """Stands before Django in the ASGI process and serves bets that bring a game session's token on the event loop.

    Under WSGI workers such a bet takes twice the CPU: threads that wake each other, and layers made for browsers.
    A bet that is placed is in the ledger, one that is refused gets its line in the log here.
    """

    def __init__(self, pages: Application) -> None:
        self._pages = pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a bet; hand everything else on."""
        authorization = _header(scope, b"authorization") if scope["path"] == BET_PATH else None
        if authorization is None:
            await self._pages(scope, receive, send)
            return
        try:
            token_attempt_check(scope_address(scope))
            await _respond(send, 200, _HEADERS, await _bet(scope, receive, authorization))
        except _Gone:
            return
        except DomainError as error:
            if isinstance(error, AuthenticationFailed):
                token_attempt_failed(scope_address(scope))
            await _refuse(scope, send, error)
        except Exception:
            logger.exception("request_failed", request=BET_PATH)
            await _refuse(scope, send, InternalError("something went wrong on our side; it is in our log"))


class _Gone(Exception):
    """The client has gone in the middle of its request."""


async def _bet(scope: Scope, receive: Receive, authorization: str) -> bytes:
    if scope["method"] != "POST":
        raise MethodNotAllowed("a bet is placed with POST", allowed="POST")
    bettor = token_bettor(authorization)
    if settings.PUNTO_BETS_PER_S is not None:
        player_id = await answer_awaited(bettor_player_id(bettor))
        await limit_check_awaited(kind=LIMIT, who=player_id, per_s=settings.PUNTO_BETS_PER_S)
    order = order_read(await _body(receive), _header(scope, b"idempotency-key"))
    try:
        return await answer_awaited(baccarat_bet(bettor=bettor, slip=order.slip, idempotency=order.idempotency))
    except Outpaced:
        return await in_thread(
            partial(baccarat_bet_place, bettor=bettor, slip=order.slip, idempotency=order.idempotency)
        )


async def _body(receive: Receive) -> bytes:
    """Return the body, whose length `BodyLimit` has limited."""
    body = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Gone
        part: bytes = message.get("body", b"")
        body += part
        if not message.get("more_body", False):
            return body


def _header(scope: Scope, name: bytes) -> str | None:
    for sent, value in scope["headers"]:
        if sent == name:
            return str(value, "latin-1")
    return None


async def _refuse(scope: Scope, send: Send, error: DomainError) -> None:
    logger.info(
        "request_finished",
        code=error.http_status,
        request=f"{scope['method']} {BET_PATH}",
        request_id=str(uuid4()),
    )
    more = tuple((name.lower().encode(), text.encode()) for name, text in error_headers(error).items())
    await _respond(send, error.http_status, _HEADERS + more, json.encode(error_body(error, BET_PATH)[0]))


async def _respond(send: Send, status: int, headers: Headers, body: bytes) -> None:
    length = (b"content-length", b"%d" % len(body))
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body})
