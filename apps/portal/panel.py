"""The endpoints of the panel beside a table: its data, one round, and a change of client seed (docs/protocol.md)."""

from typing import Final
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from apps.core.api import error_headers
from apps.core.errors import BadParams, DomainError, NotFound
from apps.core.rate_limits import limit_check
from apps.portal.authentication import PagePlayer, page_player_or_visitor, page_player_required
from apps.portal.panel_data import panel_data, round_data, seeds_data
from apps.portal.selectors import round_get
from apps.rounds.registry import game_at, game_of
from apps.rounds.selectors import round_explain
from apps.rounds.services import seeds_rotate

MAX_DIGITS: Final = 18
"""The most digits of a movement's number: more do not fit the column."""


@require_GET
@never_cache
@page_player_or_visitor
def panel(request: HttpRequest, page_player: PagePlayer, slug: str) -> HttpResponse:
    """The session's figures since the movement `after`, the seeds in use, and the last rounds of the game."""
    try:
        game, after = game_at(slug), _number_read(request.GET.get("after", ""))
        return JsonResponse(panel_data(page_player, game=game.id, after=after))
    except DomainError as error:
        return refusal_json(error)


@require_GET
@never_cache
@page_player_required
def panel_round(_request: HttpRequest, page_player: PagePlayer, round_id: UUID) -> HttpResponse:
    """One round of the player, with its steps and its proof."""
    try:
        return JsonResponse(round_data(round_explain(round_get(page_player.player, round_id))))
    except DomainError as error:
        return refusal_json(error)


@require_GET
@never_cache
@page_player_required
def round_advice(request: HttpRequest, page_player: PagePlayer, round_id: UUID) -> HttpResponse:
    """The best play of one round of the player. 202 while the worker computes it."""
    try:
        limit_check(kind="advice", who=page_player.player.pk, per_s=settings.PUNTO_ADVICE_PER_S)
        found = round_get(page_player.player, round_id)
        advise = game_of(found.game).advice
        if advise is None:
            raise NotFound("this game has no decisions")
        advice = advise(found, is_exact=flag_read(request.GET.get("exact", "0")))
    except DomainError as error:
        return refusal_json(error)
    return JsonResponse(advice, status=200 if advice["isReady"] else 202)


@require_POST
@never_cache
@page_player_required
def seeds_change(request: HttpRequest, page_player: PagePlayer) -> HttpResponse:
    """Set the client seed, which reveals the server seed of the rounds before. The answer is the new seeds."""
    try:
        seeds_rotate(player=page_player.player, client_seed=request.POST.get("client_seed", ""))
    except DomainError as error:
        return refusal_json(error)
    return JsonResponse({"seeds": seeds_data(page_player.player)})


def refusal_json(error: DomainError) -> HttpResponse:
    """Return a refusal for a script of a page."""
    body = {"code": error.code, "message": error.message}
    return JsonResponse(body, status=error.http_status, headers=error_headers(error))


def flag_read(text: str) -> bool:
    if text not in ("0", "1"):
        raise BadParams("exact: 0 or 1", field="exact")
    return text == "1"


def _number_read(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS):
        raise BadParams("after: the number of a movement", field="after")
    return int(text)
