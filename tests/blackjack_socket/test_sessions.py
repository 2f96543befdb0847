"""Who may speak: sessions, the first message, take-over."""

from datetime import timedelta

import pytest
from django.utils import timezone
from websockets.exceptions import ConnectionClosed

from apps.accounts.models import Player
from apps.fairness.models import SeedPair
from apps.rounds.models import GameSession
from tests.support.blackjack import SocketPlayer, session_token, socket_player
from tests.support.server import Server


@pytest.mark.parametrize("token", ["", "no-such-session", "00000000-0000-4000-8000-000000000000", "%00'"])
def test_unknown_sessions_are_refused_and_closed(committed: None, shared_server: Server, token: str) -> None:
    with socket_player(shared_server, token, authenticate=False) as seat:
        assert seat.receive()["code"] == "AUTHENTICATION_FAILED"
        with pytest.raises(ConnectionClosed):
            seat.receive()


def test_an_expired_session_is_refused(player: Player, shared_server: Server) -> None:
    token = session_token(player)
    GameSession.objects.filter(player=player).update(expires_at=timezone.now() - timedelta(seconds=1))
    with socket_player(shared_server, token, authenticate=False) as seat:
        assert seat.receive()["code"] == "AUTHENTICATION_FAILED"


def test_a_session_that_expires_while_it_is_open_ends_with_the_next_action(player: Player, seat: SocketPlayer) -> None:
    GameSession.objects.filter(player=player).update(expires_at=timezone.now())
    assert seat.act("Bet", {"betAmount": 1})["code"] == "AUTHENTICATION_FAILED"
    with pytest.raises(ConnectionClosed) as closed:
        seat.receive()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4000


def test_the_first_message_is_authenticate(player: Player, shared_server: Server) -> None:
    with socket_player(shared_server, session_token(player), authenticate=False) as seat:
        assert seat.send("RoundState")["code"] == "CLIENT_NOT_AUTHENTICATED"
        assert seat.act("Bet", {"betAmount": 1})["code"] == "CLIENT_NOT_AUTHENTICATED"
        answer = seat.send("Authenticate", event_id="first")
        assert answer == {"eventType": "Authenticate", "authenticated": True, "eventId": "first"}


def test_the_first_message_may_propose_the_client_seed(player: Player, shared_server: Server) -> None:
    token = session_token(player)
    with socket_player(shared_server, token, authenticate=False) as seat:
        answer = seat.send("Authenticate", data={"clientSeed": "from-the-client"})
        assert answer["authenticated"] is True
        seat.act("Bet", {"betAmount": 1})
        assert SeedPair.objects.get(player=player, status="active").client_seed == "from-the-client"
    # As after a lost connection: the same proposal changes nothing, another one is too late.
    with socket_player(shared_server, token, authenticate=False) as seat:
        assert seat.send("Authenticate", data={"clientSeed": "another"})["code"] == "CHANGE_SEED_FAILED"
        assert seat.send("GetBalance", data={})["code"] == "CLIENT_NOT_AUTHENTICATED"
        assert seat.send("Authenticate", data={"clientSeed": "from-the-client"})["authenticated"] is True


def test_a_client_seed_is_not_proposed_after_a_round_with_ours(player: Player, shared_server: Server) -> None:
    token = session_token(player)
    with socket_player(shared_server, token) as seat:
        seat.act("Bet", {"betAmount": 1})
        assert seat.send("Authenticate", data={"clientSeed": "too-late"})["code"] == "CHANGE_SEED_FAILED"


@pytest.mark.parametrize("client_seed", ["", "a b", "a|b", "x" * 65, "\u00e9", 5, True, ["a"]])
def test_a_client_seed_that_is_none_is_refused(player: Player, shared_server: Server, client_seed: object) -> None:
    with socket_player(shared_server, session_token(player), authenticate=False) as seat:
        answer = seat.send("Authenticate", data={"clientSeed": client_seed})
        assert (answer["code"], "clientSeed" in answer["message"]) == ("INVALID_EVENT_INPUTS", True)
        assert SeedPair.objects.get(player=player, status="active").client_seed_chosen is False


def test_the_second_connection_of_a_session_takes_over(player: Player, shared_server: Server) -> None:
    token = session_token(player)
    with socket_player(shared_server, token) as first, socket_player(shared_server, token) as second:
        told = first.receive()
        assert (told["code"], "taken over" in told["message"]) == ("AUTHENTICATION_FAILED", True)
        with pytest.raises(ConnectionClosed) as closed:
            first.receive()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4001
        assert second.send("GetBalance", data={})["data"]["balance"] == "100"


def test_the_database_refuses_the_older_connection_though_nobody_told_it(player: Player, seat: SocketPlayer) -> None:
    GameSession.objects.filter(player=player).update(connection="another")
    answer = seat.act("Bet", {"betAmount": 1})
    assert answer["code"] == "AUTHENTICATION_FAILED"
    assert answer["message"] == "taken over: the session is open on another connection"
    with pytest.raises(ConnectionClosed) as closed:
        seat.receive()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4001
