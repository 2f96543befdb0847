"""A round that its player shows to others: the link, and the page behind it.

The page names no player, no balance and no partner. It does not depend on its reader: no log-in and no launch link is
looked up.
"""

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from apps.core.client_address import network_of, request_address
from apps.core.errors import NotFound, Refused
from apps.core.rate_limits import limit_check
from apps.portal.authentication import PagePlayer, page_player_required
from apps.portal.replay import proof_of, steps_of
from apps.rounds.registry import game_of
from apps.rounds.selectors import round_explain
from apps.rounds.share_links import round_share_create, round_share_find, round_share_withdraw

ROBOTS = "noindex, nofollow"


@require_GET
@never_cache
def shared_round(request: HttpRequest, code: str) -> HttpResponse:
    """The page of a shown round; 404 for every other code, withdrawn ones too."""
    request.punto_page_player = None  # type: ignore[attr-defined]
    limit_check(kind="shared", who=network_of(request_address(request)), per_s=settings.PUNTO_SHARED_PER_S)
    try:
        played = round_share_find(code)
    except NotFound as error:
        raise Http404(error.message) from error
    explanation = round_explain(played)
    game = game_of(played.game)
    context = {
        "round": played,
        "net": played.payout - played.stake,
        "bets": explanation.bets,
        "proof": proof_of(explanation),
        # At a table they also show the other seats.
        "steps": [] if played.table_round else steps_of(explanation),
        "games": [{"id": game.id, "title": game.title, "redeal": static(f"{game.slug}/redeal.js")}],
        "user": AnonymousUser(),
        "messages": (),
    }
    response = render(request, "portal/shared_round.html", context)
    response["X-Robots-Tag"] = ROBOTS
    return response


@require_POST
@never_cache
@page_player_required
def share(request: HttpRequest, page_player: PagePlayer, round_id: UUID) -> HttpResponse:
    """Make the round's link."""
    try:
        round_share_create(player=page_player.player, round_id=round_id)
    except NotFound as error:
        raise Http404(error.message) from error
    except Refused:
        messages.error(request, _("A round can be shown to others once it has ended and its server seed is revealed."))
    return redirect("round", round_id)


@require_POST
@never_cache
@page_player_required
def unshare(request: HttpRequest, page_player: PagePlayer, round_id: UUID) -> HttpResponse:
    """Withdraw the round's link."""
    try:
        round_share_withdraw(player=page_player.player, round_id=round_id)
    except NotFound as error:
        raise Http404(error.message) from error
    messages.success(request, _("The link is withdrawn. It shows nothing any more."))
    return redirect("round", round_id)
