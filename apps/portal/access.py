"""Who plays on a page."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from apps.accounts.models import Player, User

Rest = ParamSpec("Rest")


@dataclass(frozen=True, slots=True)
class Seat:
    """A player at a page, and the currency played in."""

    player: Player
    currency_code: str


def seat_of(request: HttpRequest) -> Seat | None:
    """Return who plays, or None for a visitor and for staff of the back office; asks the database once a request."""
    if not hasattr(request, "punto_seat"):
        request.punto_seat = _seat_find(request)  # type: ignore[attr-defined]
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


def _seat_find(request: HttpRequest) -> Seat | None:
    user = request.user
    if not isinstance(user, User):
        return None
    player = Player.objects.filter(user=user).select_related("partner", "currency").first()
    return Seat(player, player.currency_id) if player else None
