"""The guest of a browser: a player of the house without a log-in."""

from typing import Final

from django.http import HttpRequest

from apps.accounts.models import Player, PlayerStatus

GUEST_KEY: Final = "guest_player"
"""The key of the guest's id in the browser's session."""


def browser_guest(request: HttpRequest) -> Player | None:
    """Return the guest that this browser plays as, with partner and currency; None with a log-in or once closed."""
    guest_id = request.session.get(GUEST_KEY)
    if guest_id is None or request.user.is_authenticated:
        return None
    found = Player.objects.filter(pk=guest_id, is_guest=True, status=PlayerStatus.ACTIVE, partner__active=True)
    return found.select_related("partner", "currency").first()
