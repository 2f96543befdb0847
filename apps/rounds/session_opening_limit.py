"""The rate limit on opening game sessions, the same for every game."""

from django.conf import settings

from apps.accounts.models import Player
from apps.core.rate_limits import limit_check


def game_session_limit_check(player: Player) -> None:
    """Count a requested game session, because each one is stored as a row. Raises RateLimited."""
    most = settings.PUNTO_GAME_SESSIONS_PER_S
    limit_check(kind="game_session", who=player.pk, per_s=most, what="sessions a second for one player")
