"""Authentication of a page's player: a launch link, a log-in or a guest by cookie, a frame by bearer token."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC
from functools import wraps
from typing import Concatenate, Final, ParamSpec

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.core import signing
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone, translation

from apps.accounts.browser_guest import GUEST_KEY, browser_guest
from apps.accounts.models import Player, User
from apps.core.api import bearer_of
from apps.core.client_address import request_address
from apps.core.errors import AuthenticationFailed
from apps.partners.models import Partner
from apps.portal.guests import PLAY_MONEY, guest_open
from apps.rounds.game_sessions import game_session_find, game_session_use
from apps.rounds.models import GameSession

GUEST_DAY_KEY: Final = "guest_day"
"""The key of the day, in UTC, on which the guest last came."""
SIGNED_UP_KEY: Final = "signed_up"
"""The key that a sign-up sets until the lobby is shown. The browser's favourites then become the account's."""
VISITOR_ID: Final = 0
"""The id of the player that a visitor has until the first deal; no row has it."""
LAUNCH_KEY: Final = "launch_token"
"""The key of the launch link's token in the browser's session."""
CHANGES_TOKEN_S: Final = 600
"""Seconds that a token is valid. A page gets a new one each time it reads its state."""

Rest = ParamSpec("Rest")


@dataclass(frozen=True, slots=True)
class PagePlayer:
    """The player of a page and the currency; for a launch link also its game, language and return links."""

    player: Player
    currency_code: str
    token: str = field(default="", repr=False)
    """The bearer credential of a launch link's game session; empty with a log-in."""
    game: str = ""
    """The only game that the launch link opens; empty: all games."""
    return_url: str = ""
    cashier_url: str = ""
    language: str = ""

    @property
    def is_visitor(self) -> bool:
        """Whether the player has no row yet."""
        return self.player.pk == VISITOR_ID

    @property
    def page_id(self) -> str:
        """The text by which a page identifies its player: empty for a visitor, and the same before and after a guest's
        sign-up."""
        return "" if self.is_visitor else str(self.player.pk)

    @property
    def is_unnamed(self) -> bool:
        """Whether the player may sign up: a visitor or a guest."""
        return self.is_visitor or self.player.is_guest


def page_player_of(request: HttpRequest) -> PagePlayer | None:
    """Return the player of the request, or None for visitors and staff of the back office. Reads the database once a
    request.

    A bearer token takes precedence over cookies. Raises AuthenticationFailed if it is invalid.
    """
    if not hasattr(request, "punto_page_player"):
        token = bearer_of(request.headers.get("Authorization", ""))
        if token is not None:
            # The page of a refusal has no player.
            request.punto_page_player = None  # type: ignore[attr-defined]
            return page_player_take(request, token)
        request.punto_page_player = _launched_player(request) or _log_in_player(request) or _guest_player(request)  # type: ignore[attr-defined]
    page_player: PagePlayer | None = request.punto_page_player  # type: ignore[attr-defined]
    return page_player


def page_player_take(request: HttpRequest, token: str) -> PagePlayer:
    """Make the player of the token's game session the player of the request. Raises AuthenticationFailed.

    Until the request's end, texts are in the session's language, which `LanguageMiddleware` cannot learn from a cookie.
    """
    page_player = _session_player(game_session_find(token=token), token)
    request.punto_page_player = page_player  # type: ignore[attr-defined]
    if page_player.language:
        translation.activate(page_player.language)
    return page_player


def page_player_required(
    view: Callable[Concatenate[HttpRequest, PagePlayer, Rest], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, Rest], HttpResponseBase]:
    """Pass the `PagePlayer` to the view.

    Visitors are redirected to the log-in, and staff get a page that says that they cannot play.
    """

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        page_player = page_player_of(request)
        if page_player is not None:
            return view(request, page_player, *args, **kwargs)
        if request.user.is_authenticated:
            return render(request, "portal/no_player.html", status=403)
        return redirect_to_login(request.get_full_path())

    return guarded


def page_player_or_visitor(
    view: Callable[Concatenate[HttpRequest, PagePlayer, Rest], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, Rest], HttpResponseBase]:
    """Do the same as `page_player_required`, but let visitors see a table as if they had a new player of the house."""

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        if page_player_of(request) is None and not request.user.is_authenticated:
            house = Partner.objects.filter(is_house=True, active=True).first()
            if house is not None:
                player = Player(pk=VISITOR_ID, partner=house, currency_id=PLAY_MONEY)
                request.punto_page_player = PagePlayer(player, PLAY_MONEY)  # type: ignore[attr-defined]
        return page_player_required(view)(request, *args, **kwargs)

    return guarded


def guest_begin(request: HttpRequest) -> PagePlayer:
    """Let the browser play as a new guest, under a new id of its session."""
    request.session.cycle_key()  # first, since it fails without Redis: each guest belongs to a browser
    guest = guest_open()
    request.session[GUEST_KEY] = guest.pk
    _guest_session_extend(request)
    page_player = PagePlayer(guest, guest.currency_id)
    request.punto_page_player = page_player  # type: ignore[attr-defined]
    return page_player


def guest_end(request: HttpRequest) -> None:
    """Forget the guest: the browser has a log-in now."""
    request.session.pop(GUEST_DAY_KEY, None)
    if request.session.pop(GUEST_KEY, None) is not None:
        request.session.set_expiry(None)


def sign_up_note(request: HttpRequest) -> None:
    """Note that the account of this session is new."""
    request.session[SIGNED_UP_KEY] = True


def has_just_signed_up(request: HttpRequest) -> bool:
    """Return whether the session began with a sign-up; true once."""
    return request.session.pop(SIGNED_UP_KEY, False) is True


def launch_begin(request: HttpRequest, token: str) -> PagePlayer:
    """Let the browser play in the game session of `token`. Raises AuthenticationFailed."""
    session = game_session_use(token=token, address=request_address(request))
    request.session[LAUNCH_KEY] = token
    return _session_player(session, token)


def launch_end(request: HttpRequest) -> None:
    """Forget the launch link; a log-in of the browser stays."""
    request.session.pop(LAUNCH_KEY, None)


def socket_origin(request: HttpRequest) -> str:
    """Return the origin of the sockets for the page's browser."""
    return settings.PUNTO_SOCKET_ORIGIN or f"{'wss' if request.is_secure() else 'ws'}://{request.get_host()}"


def changes_token(player: Player) -> str:
    """Return a token that only lets a page receive announcements of the player's changes."""
    return _changes_signer.sign(str(player.pk))


def changes_player(token: str) -> int | None:
    """Return the id of the token's player, or None for a forged or expired token."""
    try:
        return int(_changes_signer.unsign(token, max_age=CHANGES_TOKEN_S))
    except signing.BadSignature:
        return None


_changes_signer: Final = signing.TimestampSigner(salt="portal.changes")


def _launched_player(request: HttpRequest) -> PagePlayer | None:
    token = request.session.get(LAUNCH_KEY)
    if not token:
        return None
    try:
        return _session_player(game_session_find(token=token), token)
    except AuthenticationFailed:
        launch_end(request)
        return None


def _session_player(session: GameSession, token: str) -> PagePlayer:
    return PagePlayer(
        session.player,
        session.currency_id,
        token,
        session.game,
        return_url=session.return_url,
        cashier_url=session.cashier_url,
        language=session.language,
    )


def _log_in_player(request: HttpRequest) -> PagePlayer | None:
    user = request.user
    if not isinstance(user, User):
        return None
    player = Player.objects.filter(user=user).select_related("partner", "currency").first()
    return PagePlayer(player, player.currency_id) if player else None


def _guest_player(request: HttpRequest) -> PagePlayer | None:
    guest = browser_guest(request)
    if guest is None:
        return None
    _guest_session_extend(request)
    return PagePlayer(guest, guest.currency_id)


def _guest_session_extend(request: HttpRequest) -> None:
    """Keep the browser's session for another `PUNTO_GUEST_IDLE_DAYS` days; one write a day, not one a page."""
    today = timezone.now().astimezone(UTC).date().isoformat()
    if request.session.get(GUEST_DAY_KEY) != today:
        request.session[GUEST_DAY_KEY] = today
        request.session.set_expiry(settings.PUNTO_GUEST_IDLE_DAYS * 86_400)
