"""Which game sessions are refused."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import Player, PlayerStatus
from apps.core.errors import AuthenticationFailed, PlayerBlocked
from apps.partners.models import Partner
from apps.rounds.game_sessions import game_session_find, game_session_hold, game_session_open
from apps.rounds.launch_codes import launch_code_create, launch_code_spend
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
    if change in ("expired", "ended"):
        with pytest.raises(AuthenticationFailed):  # a socket may have found it before
            game_session_hold(session_id=session.pk, connection="a-socket")


def test_a_blocked_player_with_a_round_alone_gets_a_session_of_its_game_alone(committed: None) -> None:
    player, token = blackjack_session()
    act(token, "Bet", betAmount=10)
    player.status = PlayerStatus.BLOCKED
    player.save()
    game_session_open(player=player, game="og-blackjack", currency_code="FUN")
    for other in ("og-baccarat", ""):
        with pytest.raises(PlayerBlocked):
            game_session_open(player=player, game=other, currency_code="FUN")


@pytest.mark.parametrize("change", ["expired", "ended"])
def test_the_code_of_a_session_that_is_over_is_refused(committed: None, change: str) -> None:
    session, _ = game_session_open(player=player_make(), game="og-baccarat", currency_code="FUN")
    code = launch_code_create(session=session)
    now = timezone.now()
    GameSession.objects.update(**{"expires_at": now} if change == "expired" else {"ended_at": now})
    with pytest.raises(AuthenticationFailed):
        launch_code_spend(code=code, partner=session.partner, game="og-baccarat")


def test_a_code_leaves_the_address_that_its_session_was_first_used_from(committed: None) -> None:
    session, _ = game_session_open(player=player_make(), game="og-baccarat", currency_code="FUN")
    for address in ("192.0.2.1", "192.0.2.2"):
        code = launch_code_create(session=session)
        launch_code_spend(code=code, partner=session.partner, game="og-baccarat", address=address)
        session.refresh_from_db()
        assert session.address == "192.0.2.1"
