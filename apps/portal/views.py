"""The player's pages. Each asks a selector or calls one service, and renders."""

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from apps.core.errors import DomainError, NotFound
from apps.portal import selectors
from apps.portal.access import Seat, seat_of, seat_required
from apps.portal.forms import ClientSeedForm
from apps.portal.labels import GAME_NAMES
from apps.portal.replay import bets_of, example_url, proof_of, steps_of
from apps.rounds.services import seeds_rotate

MOVEMENTS_A_PAGE = 25
ROUNDS_A_PAGE = 20
PAIRS_A_PAGE = 10


@require_GET
def lobby(request: HttpRequest) -> HttpResponse:
    """The first page: for a visitor what this is, for a player the tables."""
    seat = seat_of(request)
    if seat is None:
        return render(request, "portal/welcome.html")
    recent = selectors.round_list(seat.player)[:5]
    rounds, net = selectors.play_totals(seat.player, seat.currency_code)
    return render(request, "portal/lobby.html", {"recent": recent, "round_count": rounds, "net": net})


@require_GET
@never_cache
@seat_required
def baccarat(request: HttpRequest, seat: Seat) -> HttpResponse:
    """The baccarat table."""
    return render(request, "portal/baccarat.html", {"table": selectors.baccarat_table(seat)})


@require_GET
@never_cache
@seat_required
def baccarat_data(_request: HttpRequest, seat: Seat) -> HttpResponse:
    """Limits, odds, balance and last rounds as they are now."""
    return JsonResponse(selectors.baccarat_table(seat))


@require_GET
@never_cache
@seat_required
def blackjack(request: HttpRequest, seat: Seat) -> HttpResponse:
    """The blackjack table."""
    return render(request, "portal/blackjack.html", {"table": selectors.blackjack_table(seat)})


@require_GET
@never_cache
@seat_required
def wallet(request: HttpRequest, seat: Seat) -> HttpResponse:
    """The balance and every movement behind it."""
    found = selectors.wallet_of(seat)
    page = Paginator(selectors.movement_list(found), MOVEMENTS_A_PAGE).get_page(request.GET.get("page"))
    context = {"wallet": found, "page": page, "wallets": selectors.wallet_list(seat.player)}
    return render(request, "portal/wallet.html", context)


@require_GET
@never_cache
@seat_required
def history(request: HttpRequest, seat: Seat) -> HttpResponse:
    """Every round of both games."""
    game = request.GET.get("game", "")
    if game not in GAME_NAMES:
        game = ""
    page = Paginator(selectors.round_list(seat.player, game=game), ROUNDS_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "portal/history.html", {"page": page, "game": game, "games": GAME_NAMES})


@require_GET
@never_cache
@seat_required
def round_page(request: HttpRequest, seat: Seat, round_id: UUID) -> HttpResponse:
    """One round, card by card, with its proof."""
    try:
        found = selectors.round_get(seat.player, round_id)
    except NotFound as error:
        raise Http404(error.message) from error
    context = {"round": found, "bets": bets_of(found), "proof": proof_of(found), "steps": steps_of(found)}
    return render(request, "portal/round.html", context)


@require_http_methods(["GET", "POST"])
@never_cache
@seat_required
def seeds(request: HttpRequest, seat: Seat) -> HttpResponse:
    """The seed pairs; a POST sets a new client seed, which reveals the server seed in use."""
    form = ClientSeedForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            seeds_rotate(player=seat.player, client_seed=form.cleaned_data["client_seed"])
        except DomainError as error:
            form.add_error("client_seed", error.message)
        else:
            messages.success(request, "New seeds are in use. The old server seed is revealed below.")
            return redirect("seeds")
    found = selectors.seeds_of(seat.player)
    revealed = Paginator(found.revealed, PAIRS_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "portal/seeds.html", {"form": form, "seeds": found, "revealed": revealed})


@require_GET
def verify(request: HttpRequest) -> HttpResponse:
    """Deal any round again, in the browser alone."""
    return render(request, "portal/verify.html")


@require_GET
def how_to_check(request: HttpRequest) -> HttpResponse:
    """The algorithm, a worked example, and twenty lines of Python."""
    return render(request, "portal/how_to_check.html", {"example_url": example_url()})
