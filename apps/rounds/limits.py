"""Rate limits that are the same for every game."""

from django.conf import settings

from apps.accounts.models import Player
from apps.core.limits import limit_check


def game_session_limit_check(player: Player) -> None:
    """Count a game session that is asked for, whoever asks. Raises RateLimited: each one stays as a row."""
    limit_check(kind="game_session", who=player.pk, per_s=settings.PUNTO_GAME_SESSIONS_PER_S)
