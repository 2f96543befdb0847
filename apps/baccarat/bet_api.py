"""The bet RPC: a plain view, because every layer between the socket and the service is paid for by each bet."""

import re
from decimal import Decimal
from typing import Final, NamedTuple

from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.middleware.csrf import CsrfViewMiddleware
from django.views.decorators.csrf import csrf_exempt

from apps.baccarat.bets import Bet, IdempotencyKey, Slip
from apps.baccarat.bracket import Bettor
from apps.baccarat.selectors import bettor_player_id
from apps.baccarat.services import baccarat_bet_place
from apps.core import json
from apps.core.api import JSON_TYPE, bearer_of, error_response
from apps.core.database import database_errors
from apps.core.errors import (
    AuthenticationFailed,
    BadRequest,
    CsrfFailed,
    DomainError,
    MalformedBody,
    MethodNotAllowed,
)
from apps.core.limits import limit_check
from apps.core.statement import answer
from apps.idempotency.services import body_hash
from apps.rounds.services import token_hash

BET_PATH: Final = "/api/game/baccarat/bet"

LIMIT: Final = "bet"
"""What the bets of a player are counted as."""

_KEY: Final = re.compile(r"[\x21-\x7e]{1,128}")


@csrf_exempt  # a bearer token needs no CSRF token; for a browser's session it is checked in `_bettor`
def bet(request: HttpRequest) -> HttpResponse:
    """`POST /api/game/baccarat/bet`: one deal, one to ten bets on it (docs/baccarat.md)."""
    try:
        with database_errors():  # the commit's too
            if request.method != "POST":
                raise MethodNotAllowed("a bet is placed with POST", allowed="POST")
            bettor = _bettor(request)
            if settings.PUNTO_BETS_PER_S is not None:
                limit_check(kind=LIMIT, who=answer(bettor_player_id(bettor)), per_s=settings.PUNTO_BETS_PER_S)
            order = order_read(_body(request), request.META.get("HTTP_IDEMPOTENCY_KEY"))
            return HttpResponse(baccarat_bet_place(bettor=bettor, **order._asdict()), content_type=JSON_TYPE)
    except DomainError as error:
        return error_response(error, request.path)


class Order(NamedTuple):
    """What a request asks for."""

    slip: Slip
    idempotency: IdempotencyKey | None


def order_read(body: bytes, key: str | None) -> Order:
    """Read a body and its `Idempotency-Key`. Raises BadRequest with the field at fault."""
    members = json.decode_object(body)
    slip = _slip(members)
    if key is not None and not _KEY.fullmatch(key):
        raise BadRequest("Idempotency-Key: 1 to 128 characters of ASCII without spaces", field="Idempotency-Key")
    return Order(slip, None if key is None else IdempotencyKey(key, body_hash(members)))


def token_bettor(authorization: str) -> Bettor:
    """Return who bets by the token of an `Authorization` header. Raises AuthenticationFailed."""
    token = bearer_of(authorization)
    if token is None:
        raise AuthenticationFailed("a game session's token is expected: Authorization: Bearer <token>")
    return Bettor(token_hash=token_hash(token))


def _bettor(request: HttpRequest) -> Bettor:
    """Return who bets. A token goes before a cookie. Raises AuthenticationFailed, CsrfFailed."""
    if "HTTP_AUTHORIZATION" in request.META:
        return token_bettor(request.META["HTTP_AUTHORIZATION"])
    user = get_user(request)
    if user.pk is None:
        raise AuthenticationFailed("log in, or send a game session's token")
    check = _CsrfCheck(_protected)
    check.process_request(request)
    check.process_view(request, _protected, (), {})
    return Bettor(user_id=user.pk)


def _protected(_request: HttpRequest) -> HttpResponse:
    """Stand for the view in the check: `bet` itself is exempt from it."""
    return HttpResponse()


class _CsrfCheck(CsrfViewMiddleware):
    """Django's check, for a view that asks for it itself."""

    def _reject(self, request: HttpRequest, reason: str) -> HttpResponse:  # noqa: ARG002
        raise CsrfFailed(f"reload the page and try again: {reason}")


def _body(request: HttpRequest) -> bytes:
    """Return the body, whose length `BodyLimitMiddleware` has limited."""
    try:
        return request.body
    except UnreadablePostError as error:
        raise MalformedBody("the body broke off") from error


def _slip(body: dict[str, object]) -> Slip:
    """Return the slip that a body asks for. Raises BadRequest for a member missing or of the wrong JSON type."""
    currency = _currency(body)
    if "bets" not in body:
        return Slip((_laid(body, ""),), is_list=False, currency=currency)
    if "game_type" in body or "bet_amount" in body:
        raise BadRequest("bets: either this, or game_type and bet_amount", field="bets")
    rows = body["bets"]
    if not isinstance(rows, list):
        raise BadRequest(f"bets is {json.type_name(rows)}; a list is expected", field="bets")
    bets: list[Bet] = []
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            raise BadRequest(f"bets.{number} is {json.type_name(row)}; an object is expected", field=f"bets.{number}")
        bets.append(_laid(row, f"bets.{number}."))
    return Slip(tuple(bets), is_list=True, currency=currency)


def _currency(body: dict[str, object]) -> str | None:
    if "currency" not in body:
        return None
    code = body["currency"]
    if not isinstance(code, str):
        raise BadRequest(f"currency is {json.type_name(code)}; a string is expected", field="currency")
    return code


def _laid(row: dict[str, object], where: str) -> Bet:
    game_type, stake = _number(row, "game_type", where), _number(row, "bet_amount", where)
    return Bet(game_type, Decimal(stake))


def _number(row: dict[str, object], name: str, where: str) -> int | Decimal:
    if name not in row:
        raise BadRequest(f"{where}{name} is missing", field=f"{where}{name}")
    value = row[name]
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise BadRequest(f"{where}{name} is {json.type_name(value)}; a number is expected", field=f"{where}{name}")
    return value
