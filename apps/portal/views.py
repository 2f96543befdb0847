"""The player's pages. Each view calls selectors or one service, and renders a template."""

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from apps.core.api import error_headers
from apps.core.client_address import network_of, request_address
from apps.core.errors import (
    AuthenticationFailed,
    ChangeSeedFailed,
    DomainError,
    NotFound,
    RefillRefused,
    Refused,
    Unavailable,
)
from apps.core.list_texts import list_text
from apps.core.money import plain
from apps.core.rate_limits import QuotaExceeded, limit_check, quota_take
from apps.fairness.services import client_seed_propose
from apps.portal import selectors
from apps.portal.authentication import (
    PagePlayer,
    guest_begin,
    has_just_signed_up,
    launch_begin,
    launch_end,
    page_player_of,
    page_player_or_visitor,
    page_player_required,
    socket_origin,
)
from apps.portal.forms import ClientSeedForm
from apps.portal.languages import is_language, language_remember, title_within
from apps.portal.lobby import lobby_tiles
from apps.portal.page_data import player_state, table_page, table_state
from apps.portal.panel import refusal_json
from apps.portal.refusals import refusal_sentence
from apps.portal.replay import example_url, proof_of, steps_of
from apps.portal.return_page import return_redirect
from apps.portal.services import wallet_refill
from apps.rounds.game_sessions import game_session_open
from apps.rounds.game_spec import GameSpec
from apps.rounds.launch_options import Launch
from apps.rounds.registry import game_at, game_of, games
from apps.rounds.selectors import round_explain
from apps.rounds.services import seeds_rotate
from apps.rounds.session_opening_limit import game_session_limit_check
from apps.rounds.share_links import is_shareable

GUEST_WINDOW_S = 3600
PAIRS_A_PAGE = 10


@require_GET
def lobby(request: HttpRequest) -> HttpResponse:
    """The first page: an introduction for visitors, the games for players."""
    page_player = page_player_of(request)
    if page_player is None:
        return render(request, "portal/welcome.html", {"titles": _titles_text()})
    rounds, net = selectors.play_totals(page_player.player, page_player.currency_code)
    context = {
        "tiles": lobby_tiles(page_player),
        "keeps_favourites": not page_player.is_unnamed,
        "takes_favourites": not page_player.is_unnamed and has_just_signed_up(request),
        "recent": selectors.round_list(page_player.player)[:5],
        "round_count": rounds,
        "net": net,
    }
    return render(request, "portal/lobby.html", context)


@require_GET
def launch(request: HttpRequest) -> HttpResponse:
    """Open a launch link: move its token from the URL into the browser's session."""
    limit_check(kind="launch", who=network_of(request_address(request)), per_s=settings.PUNTO_LAUNCHES_PER_S)
    try:
        page_player = launch_begin(request, request.GET.get("game_session_id", ""))
    except AuthenticationFailed:
        return render(request, "portal/launch_failed.html", status=401)
    if not page_player.game or request.GET.get("to") == "tables":
        response = redirect("live-tables")
    else:
        response = redirect("play", game_of(page_player.game).slug)
    wanted = request.GET.get("lang", "")
    language_remember(response, wanted if is_language(wanted) else page_player.language)
    return response


@require_POST
def leave(request: HttpRequest) -> HttpResponse:
    """End a launch link, and return the player to the partner's site."""
    page_player = page_player_of(request)
    launch_end(request)
    return redirect(page_player.return_url if page_player and page_player.return_url else "lobby")


@require_GET
@never_cache
@page_player_required
def now(_request: HttpRequest, page_player: PagePlayer) -> HttpResponse:
    """The state that every page follows."""
    return JsonResponse(player_state(page_player))


@require_GET
@never_cache
@page_player_or_visitor
def play(request: HttpRequest, page_player: PagePlayer, slug: str) -> HttpResponse:
    """A game's table. A launch link opens only its own game; a link for all games opens the live tables."""
    game = _game_found(slug)
    if page_player.token and not page_player.game:
        return redirect("live-tables")
    if page_player.game not in ("", game.id):
        return redirect("play", game_of(page_player.game).slug)
    table = table_page(page_player, game, socket_origin(request))
    return render(request, game.page.template, {"game": game, "table": table})


@require_GET
@never_cache
@page_player_or_visitor
def play_data(_request: HttpRequest, page_player: PagePlayer, slug: str) -> HttpResponse:
    """The state that a table follows: current limits, rules or odds, balance and rounds."""
    return JsonResponse(table_state(page_player, _game_found(slug)))


@require_POST
@never_cache
@page_player_or_visitor
def play_session(request: HttpRequest, page_player: PagePlayer, slug: str) -> HttpResponse:
    """Open a session of the game for the player's window. A launch link's window uses only the link's own session.

    The window says as `player` whose page it shows. After a log-in or log-out in another window it gets no session: it
    would stake what it does not show. A visitor's window asks for one at the first deal and becomes a guest. `seedUrl`
    takes its first client seed, as the server seeds are committed now.
    """
    game = _game_found(slug)
    shown = request.POST.get("player", "")
    try:
        if shown != page_player.page_id and (shown or not page_player.is_unnamed):
            raise AuthenticationFailed("player: the page is another player's; load it again")
        more: dict[str, str] = {}
        if page_player.is_visitor:
            _guest_count(request)
            page_player = guest_begin(request)
            more["seedUrl"] = reverse("seed-propose")
        if page_player.token:
            raise Refused("this window plays what its launch link opened")
        game_session_limit_check(page_player.player)
        _, token = game_session_open(
            player=page_player.player,
            game=game.id,
            currency_code=page_player.currency_code,
            launch=Launch(address=request_address(request)),
        )
    except QuotaExceeded as error:
        body = {"code": error.code, "message": error.message, "page": reverse("guests-full")}
        return JsonResponse(body, status=error.http_status, headers=error_headers(error))
    except DomainError as error:
        return refusal_json(error)
    return JsonResponse({"gameSessionId": token, "player": page_player.page_id} | more)


@require_POST
@never_cache
def guest(request: HttpRequest) -> HttpResponse:
    """Let a visitor play as a guest at a live table, where no deal of a visitor's own makes one; return to the page."""
    if page_player_of(request) is None and not request.user.is_authenticated:
        try:
            _guest_count(request)
        except QuotaExceeded:
            return _guests_full_page(request)
        guest_begin(request)
    return return_redirect(request, "live-tables")


@require_GET
def guests_full(request: HttpRequest) -> HttpResponse:
    """The page for a visitor whose network has begun too many guests."""
    return _guests_full_page(request)


def _guests_full_page(request: HttpRequest) -> HttpResponse:
    answer = render(request, "portal/guests_full.html", {"most": settings.PUNTO_GUESTS_PER_HOUR}, status=429)
    answer["Retry-After"] = str(GUEST_WINDOW_S)
    return answer


@require_POST
@never_cache
@page_player_required
def seed_propose(request: HttpRequest, page_player: PagePlayer) -> HttpResponse:
    """Set the first client seed to the proposal of the player's browser, and answer with the seed that the pair has.

    Both server seeds are committed by then. Two pages that are opened one after the other both propose: the first
    proposal counts.
    """
    try:
        pair = client_seed_propose(player=page_player.player, client_seed=request.POST.get("client_seed", ""))
    except ChangeSeedFailed:
        return JsonResponse({"clientSeed": selectors.seeds_of(page_player.player).active.client_seed})
    return JsonResponse({"clientSeed": pair.client_seed})


@require_POST
@never_cache
@page_player_required
def refill(_request: HttpRequest, page_player: PagePlayer) -> HttpResponse:
    """Refill a wallet of play money. A refusal has the time of the next possible refill."""
    try:
        balance = wallet_refill(player=page_player.player, currency_code=page_player.currency_code)
    except DomainError as error:
        since = error.possible_from if isinstance(error, RefillRefused) else None
        body = {"code": error.code, "message": error.message, "possibleFrom": since.isoformat() if since else None}
        return JsonResponse(body, status=error.http_status, headers=error_headers(error))
    return JsonResponse({"balance": plain(balance), "currency": page_player.currency_code})


@require_GET
@never_cache
@page_player_required
def round_page(request: HttpRequest, page_player: PagePlayer, round_id: UUID) -> HttpResponse:
    """One round, card by card, with its proof."""
    try:
        found = selectors.round_get(page_player.player, round_id)
    except NotFound as error:
        raise Http404(error.message) from error
    explanation = round_explain(found)
    link = found.shares.filter(withdrawn_at__isnull=True).first()
    context = {
        "round": found,
        "bets": explanation.bets,
        "proof": proof_of(explanation),
        "steps": steps_of(explanation),
        "link": request.build_absolute_uri(reverse("shared-round", args=[link.code])) if link else "",
        "is_shareable": is_shareable(found),
    }
    return render(request, "portal/round.html", context)


@require_http_methods(["GET", "POST"])
@never_cache
@page_player_required
def seeds(request: HttpRequest, page_player: PagePlayer) -> HttpResponse:
    """The seed pairs; a POST sets a new client seed, which reveals the server seed in use."""
    form = ClientSeedForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            seeds_rotate(player=page_player.player, client_seed=form.cleaned_data["client_seed"])
        except DomainError as error:
            form.add_error("client_seed", refusal_sentence(error))
        else:
            messages.success(request, _("New seeds are in use. The old server seed is revealed below."))
            return redirect("seeds")
    if form.errors:
        form.fields["client_seed"].widget.attrs["autofocus"] = True  # on a phone it is below the top of the page
    found = selectors.seeds_of(page_player.player)
    revealed = Paginator(found.revealed, PAIRS_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "portal/seeds.html", {"form": form, "seeds": found, "revealed": revealed})


@require_GET
def verify(request: HttpRequest) -> HttpResponse:
    """Deal any round again, in the browser alone."""
    games_here = [{"id": game.id, "title": game.title, "redeal": static(f"{game.slug}/redeal.js")} for game in games()]
    return render(request, "portal/verify.html", {"games": games_here})


@require_GET
def how_to_check(request: HttpRequest) -> HttpResponse:
    """The algorithm, a worked example, and a Python program."""
    return render(request, "portal/how_to_check.html", {"example_url": example_url()})


def _guest_count(request: HttpRequest) -> None:
    """Count a guest of the request's network. Raises QuotaExceeded; Unavailable while it cannot be counted."""
    most = settings.PUNTO_GUESTS_PER_HOUR
    quota = quota_take(kind="guest", who=network_of(request_address(request)), most=most, window_s=GUEST_WINDOW_S)
    if quota is None and most is not None:
        raise Unavailable("Redis does not answer, and guests are counted there; try again in a moment")


def _titles_text() -> str:
    """Return the games' titles as the beginning of a sentence."""
    return capfirst(list_text([title_within(_(game.title)) for game in games()]))


def _game_found(slug: str) -> GameSpec:
    try:
        return game_at(slug)
    except NotFound as error:
        raise Http404(error.message) from error
