"""A table in a frame of a partner's page: only the partner's own origins may frame it (docs/embedding.md).

Its pages neither read nor set a cookie. The first page, which a GET opens, has no data: its script sends the launch's
code by POST, and the answer is the table with the session's token.
"""

from collections.abc import Callable
from functools import wraps
from hashlib import sha256
from typing import Any, Concatenate, Final, ParamSpec

from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST
from redis.exceptions import RedisError

from apps.core.api import bearer_of, error_headers, refusal_of
from apps.core.client_address import network_of, request_address
from apps.core.errors import MAX_ECHO_CHARS, AuthenticationFailed, BadRequest, NotFound, TryLater
from apps.core.rate_limits import limit_check
from apps.partners.models import Partner
from apps.portal.authentication import PagePlayer, page_player_take, socket_origin
from apps.portal.page_data import table_page
from apps.portal.refusals import refusal_sentence
from apps.rounds.game_sessions import game_session_end, game_session_language_set, game_session_use
from apps.rounds.game_spec import GameSpec
from apps.rounds.launch_codes import launch_code_spend
from apps.rounds.models import GameSession
from apps.rounds.registry import game_at

MAX_MEMORY_CHARS: Final = 16_384
"""A table's memory has about 1,000 characters."""
NO_TOKEN: Final = "none"  # noqa: S105 - not a secret

Rest = ParamSpec("Rest")


@csrf_exempt  # The code is the proof; there is no cookie that another site's page could use.
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def frame(request: HttpRequest, partner: str, slug: str) -> HttpResponse:
    """A GET shows the page that sends the code; a POST spends the code and shows the table."""
    # No cookie of the browser decides who plays.
    request.punto_page_player = None  # type: ignore[attr-defined]
    owner = Partner.objects.filter(slug=partner, active=True).first()
    try:
        game = game_at(slug)
    except NotFound:
        game = None
    if owner is None or game is None:
        # Django's page for this would set a cookie.
        return render(request, "portal/frame_over.html", _page_data(None, is_over=True), status=404)
    try:
        return _framed(_launch_page(request, owner, game), owner)
    except (TryLater, DatabaseError) as error:
        # `RefusalMiddleware` would answer without the origins, and a browser would show an empty frame.
        refusal = refusal_of(error)
        if not isinstance(refusal, TryLater):
            raise
        return _framed(_refusal_page(request, owner, refusal), owner)


def _launch_page(request: HttpRequest, owner: Partner, game: GameSpec) -> HttpResponse:
    """Return the page that sends the code, or the table that the sent one opens. Raises RateLimited and others."""
    if request.method != "POST":
        return render(request, "portal/frame_start.html", _page_data(owner))
    address = request_address(request)
    limit_check(kind="launch", who=network_of(address), per_s=settings.PUNTO_LAUNCHES_PER_S)
    code = request.POST.get("launch_code", "")
    memory = _memory_of(code)
    try:
        token = launch_code_spend(code=code, partner=owner, game=game.id, address=address)
        page_player = page_player_take(request, token)
    except AuthenticationFailed:
        return render(request, "portal/frame_over.html", _page_data(owner, is_over=True), status=401)
    with translation.override(page_player.language or translation.get_language()):
        context = _page_data(owner, page_player, memory=memory) | {
            "game": game,
            "table": table_page(page_player, game, socket_origin(request)),
        }
        return render(request, game.page.template, context)


def _refusal_page(request: HttpRequest, owner: Partner, refusal: TryLater) -> HttpResponse:
    """Return the page of a launch that may be tried again: a refusal does not spend the code."""
    sentence = refusal_sentence(refusal)
    page = _page_data(owner)
    page["frame"] |= {"refusal": {"code": refusal.code, "message": sentence}}
    context = page | {"sentence": sentence, "launch_code": request.POST.get("launch_code", "")[:MAX_ECHO_CHARS]}
    answer = render(request, "portal/frame_refused.html", context, status=refusal.http_status)
    for name, value in error_headers(refusal).items():
        answer[name] = value
    return answer


def token_required(
    view: Callable[Concatenate[HttpRequest, GameSession, Rest], HttpResponse],
) -> Callable[Concatenate[HttpRequest, Rest], HttpResponse]:
    """Pass the session of the request's bearer token to the view. Raises AuthenticationFailed."""

    @wraps(view)
    def identified(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponse:
        token = bearer_of(request.headers.get("Authorization", ""))
        if token is None:
            raise AuthenticationFailed("the session's token is expected: Authorization: Bearer <token>")
        return view(request, game_session_use(token=token, address=request_address(request)), *args, **kwargs)

    return identified


@csrf_exempt
@require_POST
@never_cache
@token_required
def frame_language(request: HttpRequest, session: GameSession) -> HttpResponse:
    """Set the player's language, as the host page asks. The answer's code opens the table in it.

    `memory` is what the table remembers, the bet without an answer included: the next page gets it. It goes this way
    because only the table's page has the token. Anybody could put a bet into a form or a window's name.
    """
    memory = request.POST.get("memory", "")
    if len(memory) > MAX_MEMORY_CHARS:
        raise BadRequest(f"memory: at most {MAX_MEMORY_CHARS} characters", field="memory")
    code = game_session_language_set(session=session, language=request.POST.get("language", ""))
    cache.set(_memory_key(code), memory, settings.PUNTO_LAUNCH_CODE_S)
    return JsonResponse({"launchCode": code})


@csrf_exempt
@require_POST
@never_cache
@token_required
def frame_close(_request: HttpRequest, session: GameSession) -> HttpResponse:
    """End the session, as the host page asks."""
    game_session_end(session=session)
    return JsonResponse({"ended": True})


def _memory_key(code: str) -> str:
    return f"frame-memory:{sha256(code.encode('utf-8', 'replace')).hexdigest()}"


def _memory_of(code: str) -> str:
    """Return the table's memory from before a change of its language; empty for another launch's code."""
    try:
        memory: str = cache.get(_memory_key(code), "")
    except RedisError:
        return ""  # A table opens without Redis too.
    return memory


def _page_data(
    owner: Partner | None, page_player: PagePlayer | None = None, *, is_over: bool = False, memory: str = ""
) -> dict[str, Any]:
    data: dict[str, Any] = {"origins": owner.frame_origins if owner else [], "isOver": is_over}
    if page_player is not None:
        data |= {
            "token": page_player.token,
            "language": translation.get_language(),
            "languages": [code for code, _ in settings.LANGUAGES],
            "cashierUrl": page_player.cashier_url,
            "memory": memory,
        }
    # The templates' CSRF field is filled with a constant: Django's own would set a cookie.
    return {"frame": data, "csrf_token": NO_TOKEN}


def _framed(response: HttpResponse, owner: Partner) -> HttpResponse:
    """Let the pages of the partner's origins show the response in a frame. If there are none, no page may."""
    if owner.frame_origins:
        response.frame_ancestors = owner.frame_origins  # type: ignore[attr-defined]
        response.xframe_options_exempt = True
    return response
