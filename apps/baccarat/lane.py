"""The short way for bets: with a token no session, cookie or page is concerned, and no middleware has to look."""

from collections.abc import Callable
from uuid import uuid4

import structlog
from django.http import HttpRequest, HttpResponse

from apps.baccarat.bet_api import BET_PATH, bet

logger = structlog.get_logger(__name__)


class BetLane:
    """Stands first among the middleware and takes bets that bring a game session's token straight to their view.

    Layers for browsers would cost such a bet more than half of the server's time. A bet that is placed is in the
    ledger, one that is refused gets its line in the log here.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info != BET_PATH or "HTTP_AUTHORIZATION" not in request.META:
            return self.get_response(request)
        response = bet(request)
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Content-Length"] = str(len(response.content))  # without it the answer goes out in chunks
        if response.status_code != 200:
            logger.info(
                "request_finished",
                code=response.status_code,
                request=f"{request.method} {BET_PATH}",
                request_id=str(uuid4()),
            )
        return response
