"""Which game sessions are refused."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import Player, PlayerStatus
from apps.core.errors import AuthenticationFailed, PlayerBlocked
from apps.partners.models import Partner
from apps.rounds.game_sessions import game_session_find, game_session_open
from apps.rounds.models import GameSession
from tests.support.factories import player_make
from tests.support.played import act, blackjack_session


@pytest.mark.django_db
@pytest.mark.parametrize("change", ["expired", "ended", "other-game", "unknown", "blocked", "partner-inactive"])
def test_a_session_that_is_not_valid_is_refused(change: str) -> None:
    player = player_make()
    session, token = game_session_open(player=player, game="og-baccarat", currency_code="FUN")
    assert game_session_find(token=token, game="og-baccarat") == session
    assert game_session_find(token=token) == session
    now = timezone.now()
    match change:
        case "expired":
            GameSession.objects.update(expires_at=now - timedelta(seconds=1))
        case "ended":
            GameSession.objects.update(ended_at=now)
        case "blocked":
            Player.objects.update(status=PlayerStatus.BLOCKED)
        case "partner-inactive":
            Partner.objects.update(active=False)
    game = "og-blackjack" if change == "other-game" else "og-baccarat"
    with pytest.raises(AuthenticationFailed):
        game_session_find(token="\x00" if change == "unknown" else token, game=game)


def test_a_blocked_player_with_a_round_alone_gets_a_session_of_its_game_and_none_of_the_tables(committed: None) -> None:
    player, token = blackjack_session()
    act(token, "Bet", betAmount=10)
    player.status = PlayerStatus.BLOCKED
    player.save()
    game_session_open(player=player, game="og-blackjack", currency_code="FUN")
    with pytest.raises(PlayerBlocked):
        game_session_open(player=player, game="", currency_code="FUN")
