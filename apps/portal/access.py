"""Who plays on a page: the log-in's player, or the player of a partner's launch link."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Concatenate, Final, ParamSpec

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.accounts.models import Player, User
from apps.core.errors import AuthenticationFailed
from apps.rounds.services import game_session_find

LAUNCH_KEY: Final = "launch_token"
"""Where the browser's session keeps the token that a launch link brought."""
CHANGES_TOKEN_S: Final = 600
"""How long a page may take to open its socket; with every reading of its state it gets a new token."""

Rest = ParamSpec("Rest")


@dataclass(frozen=True, slots=True)
class Seat:
    """A player at a page, and the currency played in."""

    player: Player
    currency_code: str
    token: str = field(default="", repr=False)
    """Of a launch link: the bearer credential of its game session; empty with a log-in."""
    game: str = ""
    """The one game that the launch link opens; empty: all of them."""
    return_url: str = ""


def seat_of(request: HttpRequest) -> Seat | None:
    """Return who plays, or None for a visitor and for staff of the back office; asks the database once a request."""
    if not hasattr(request, "punto_seat"):
        request.punto_seat = _launched_seat(request) or _own_seat(request)  # type: ignore[attr-defined]
    seat: Seat | None = request.punto_seat  # type: ignore[attr-defined]
    return seat


def seat_required(
    view: Callable[Concatenate[HttpRequest, Seat, Rest], HttpResponse],
) -> Callable[Concatenate[HttpRequest, Rest], HttpResponse]:
    """Give the view its `Seat`; visitors are sent to the log-in, staff are told that theirs cannot play."""

    @wraps(view)
    def seated(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponse:
        seat = seat_of(request)
        if seat is not None:
            return view(request, seat, *args, **kwargs)
        if request.user.is_authenticated:
            return render(request, "portal/no_player.html", status=403)
        return redirect_to_login(request.get_full_path())

    return seated


def launch_begin(request: HttpRequest, token: str) -> Seat:
    """Let the browser play the game session that `token` opens. Raises AuthenticationFailed."""
    seat = _session_seat(token)
    request.session[LAUNCH_KEY] = token
    return seat


def launch_end(request: HttpRequest) -> None:
    """Forget the launch link; a log-in of the browser's own stays."""
    request.session.pop(LAUNCH_KEY, None)


def socket_origin(request: HttpRequest) -> str:
    """Return where the sockets are, as the page's browser reaches them."""
    return settings.PUNTO_SOCKET_ORIGIN or f"{'wss' if request.is_secure() else 'ws'}://{request.get_host()}"


def changes_token(player: Player) -> str:
    """Return what lets a page hear that something of the player has changed, and do nothing else."""
    return _changes_signer.sign(str(player.pk))


def changes_player(token: str) -> int | None:
    """Return the id of the player whose page the token was given to; None for one that is forged or too old."""
    try:
        return int(_changes_signer.unsign(token, max_age=CHANGES_TOKEN_S))
    except signing.BadSignature:
        return None


_changes_signer: Final = signing.TimestampSigner(salt="portal.changes")


def _launched_seat(request: HttpRequest) -> Seat | None:
    token = request.session.get(LAUNCH_KEY)
    if not token:
        return None
    try:
        return _session_seat(token)
    except AuthenticationFailed:
        launch_end(request)
        return None


def _session_seat(token: str) -> Seat:
    session = game_session_find(token=token)
    return Seat(session.player, session.currency_id, token, session.game, session.return_url)


def _own_seat(request: HttpRequest) -> Seat | None:
    user = request.user
    if not isinstance(user, User):
        return None
    player = Player.objects.filter(user=user).select_related("partner", "currency").first()
    return Seat(player, player.currency_id) if player else None
