"""Authentication of the lobby over HTTP, and of the call that gives a table session's token.

A socket logs in with that token: `log_in` in session_connection.py.
"""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from apps.accounts.browser_guest import browser_guest
from apps.accounts.models import Player, User
from apps.core.api import bearer_of
from apps.core.browser_login import csrf_verify
from apps.core.client_address import request_address
from apps.core.errors import AuthenticationFailed
from apps.rounds.game_sessions import game_session_use
from apps.rounds.models import GameSession
from apps.tables.errors import AuthInvalid, AuthRequired
from apps.tables.models import TableSession
from apps.tables.sessions import table_session_find

KEY_START = "punto_"
"""The prefix of a partner's API key; a session's token is random."""


class TableTokenAuthentication(BaseAuthentication):
    """`request.auth` is the `TableSession`. An invalid token gets 401, never 403. A partner's key is
    left to the next class of the view.
    """

    def authenticate(self, request: Request) -> tuple[AnonymousUser, TableSession] | None:
        token = bearer_of(request.META.get("HTTP_AUTHORIZATION", ""))
        if token is None:
            raise AuthRequired("a token is expected: Authorization: Bearer <token of POST /api/auth/token>")
        if token.startswith(KEY_START) and len(request.authenticators or ()) > 1:
            return None
        return AnonymousUser(), table_session_find(token=token)

    def authenticate_header(self, _request: Request) -> str:
        return "Bearer"


class PlayerAuthentication(BaseAuthentication):
    """`request.auth` is a partner's `GameSession`, or the `Player` of this browser: its log-in's, or a guest."""

    def authenticate(self, request: Request) -> tuple[AnonymousUser, GameSession | Player]:
        token = bearer_of(request.META.get("HTTP_AUTHORIZATION", ""))
        if token is None:
            return AnonymousUser(), _browser_player(request)
        try:
            return AnonymousUser(), game_session_use(token=token, address=request_address(request))
        except AuthenticationFailed as error:
            raise AuthInvalid(error.message) from error

    def authenticate_header(self, _request: Request) -> str:
        return "Bearer"


def _browser_player(request: Request) -> Player:
    """Return the player of the browser's log-in, or its guest. Raises AuthRequired, AuthInvalid, CsrfFailed."""
    asked = request._request
    if not isinstance(asked.user, User):
        guest = browser_guest(asked)
        if guest is None:
            raise AuthRequired("log in, or send a game session's token")
        csrf_verify(asked)
        return guest
    csrf_verify(asked)
    player = Player.objects.select_related("partner").filter(user=asked.user).first()
    if player is None:
        raise AuthInvalid("this log-in has no player")
    return player


class TableTokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The token in the OpenAPI document."""

    target_class = TableTokenAuthentication
    name = "tableSession"

    def get_security_definition(self, _auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "The token of POST /api/auth/token."}


class PlayerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The two ways to get a token in the OpenAPI document, and to place a bet."""

    target_class = PlayerAuthentication
    name = ["gameSession", "browserSession"]

    def get_security_requirement(self, _auto_schema: object) -> list[dict[str, list[Any]]]:
        """Either of the two."""
        return [{name: []} for name in self.name]

    def get_security_definition(self, _auto_schema: object) -> list[dict[str, Any]]:
        return [
            {"type": "http", "scheme": "bearer", "description": "A game session's token."},
            {
                "type": "apiKey",
                "in": "cookie",
                "name": "sessionid",
                "description": "A logged-in player's browser; with the CSRF token in X-CSRFToken.",
            },
        ]
