"""The pages of the wallet and the history, and what a player downloads there as CSV."""

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from apps.core.csv_export import csv_response
from apps.core.export_limit import export_make
from apps.portal import selectors
from apps.portal.authentication import PagePlayer, page_player_required
from apps.portal.history_forms import HistoryFilter, WalletFilter
from apps.portal.history_selectors import balance_points, movement_days, movement_lines, round_days, round_lines
from apps.rounds.models import Round
from apps.rounds.selectors import rounds_explain
from apps.wallet.models import Wallet, WalletTransaction

MOVEMENTS_A_PAGE = 25
ROUNDS_A_PAGE = 20
UNREAD = 400
"""The status of a page whose filter cannot be read."""


@require_GET
@never_cache
@page_player_required
def wallet(request: HttpRequest, page_player: PagePlayer) -> HttpResponse:
    """The balance, its course, and the movements of one wallet."""
    form, found = _wallet_chosen(request, page_player)
    context = {
        "wallet": found,
        "wallets": selectors.wallet_list(page_player.player),
        "filter": form,
        "own": found.currency_id,
    }
    if not form.is_valid():
        return render(request, "portal/wallet.html", context, status=UNREAD)
    period = selectors.movement_list(found).filter(form.period("ctime"))
    rows = Paginator(_movements(found, form), MOVEMENTS_A_PAGE).get_page(request.GET.get("page"))
    context |= {
        "page": rows,
        "days": movement_days(period),
        "points": balance_points(period),
        "is_in_play": found.currency_id == page_player.currency_code,
    }
    return render(request, "portal/wallet.html", context)


@require_GET
@never_cache
@page_player_required
def wallet_file(request: HttpRequest, page_player: PagePlayer) -> HttpResponseBase:
    """The chosen movements as a CSV file. A player has one export at a time."""
    return export_make(_who(page_player), lambda: _wallet_file(request, page_player))


def _wallet_file(request: HttpRequest, page_player: PagePlayer) -> HttpResponseBase:
    form, found = _wallet_chosen(request, page_player)
    if not form.is_valid():
        return render(request, "portal/wallet.html", {"wallet": found, "filter": form}, status=UNREAD)
    lines = movement_lines(found, _movements(found, form))
    return csv_response(request, name=f"movements-{found.currency_id}", lines=lines)


@require_GET
@never_cache
@page_player_required
def history(request: HttpRequest, page_player: PagePlayer) -> HttpResponse:
    """The rounds of all games that match the filter."""
    wallets = list(selectors.wallet_list(page_player.player))
    form = HistoryFilter(request.GET, currencies=[each.currency_id for each in wallets])
    if not form.is_valid():
        return render(request, "portal/history.html", {"filter": form}, status=UNREAD)
    rounds = _rounds(page_player, form)
    page = Paginator(rounds, ROUNDS_A_PAGE).get_page(request.GET.get("page"))
    rounds_explain(page, hands_only=True)  # reads the hands of all rows together
    days = round_days(rounds, [each.currency for each in wallets])
    return render(request, "portal/history.html", {"page": page, "filter": form, "days": days})


@require_GET
@never_cache
@page_player_required
def history_file(request: HttpRequest, page_player: PagePlayer) -> HttpResponseBase:
    """The chosen rounds as a CSV file. A player has one export at a time."""
    return export_make(_who(page_player), lambda: _history_file(request, page_player))


def _history_file(request: HttpRequest, page_player: PagePlayer) -> HttpResponseBase:
    codes = selectors.wallet_list(page_player.player).values_list("currency_id", flat=True)
    form = HistoryFilter(request.GET, currencies=codes)
    if not form.is_valid():
        return render(request, "portal/history.html", {"filter": form}, status=UNREAD)
    return csv_response(request, name="rounds", lines=round_lines(_rounds(page_player, form)))


def _who(page_player: PagePlayer) -> str:
    return f"player:{page_player.player.pk}"  # who may have no log-in, but a game session's token


def _wallet_chosen(request: HttpRequest, page_player: PagePlayer) -> tuple[WalletFilter, Wallet]:
    """Return the filter, and the wallet of its currency; without one, the wallet in play."""
    wallets = {each.currency_id: each for each in selectors.wallet_list(page_player.player)}
    form = WalletFilter(request.GET, currencies=wallets)
    chosen = form.cleaned_data.get("currency") if form.is_valid() else ""
    return form, wallets[chosen] if chosen else selectors.wallet_of(page_player)


def _movements(found: Wallet, form: WalletFilter) -> "QuerySet[WalletTransaction]":
    return selectors.movement_list(found).filter(form.condition())


def _rounds(page_player: PagePlayer, form: HistoryFilter) -> "QuerySet[Round]":
    return selectors.round_list(page_player.player).filter(form.condition())
