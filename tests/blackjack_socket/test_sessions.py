"""Sessions at the socket: authentication, the first message, take-over, the end."""

import json
from contextlib import suppress
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from django.utils import timezone
from websockets.exceptions import ConnectionClosed

from apps.accounts.models import Player
from apps.fairness.models import SeedPair
from apps.rounds.game_sessions import game_session_end
from apps.rounds.models import GameSession, Round
from apps.wallet.models import Wallet
from tests.support.blackjack import SocketPlayer, session_token, socket_player
from tests.support.server import Server
from tests.support.waiting import lock_wait_await


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


def test_the_first_message_must_be_authenticate(player: Player, shared_server: Server) -> None:
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
    # A client repeats its message after a lost connection: the same seed changes nothing, and another one is too late.
    with socket_player(shared_server, token, authenticate=False) as seat:
        assert seat.send("Authenticate", data={"clientSeed": "another"})["code"] == "CHANGE_SEED_FAILED"
        assert seat.send("GetBalance", data={})["code"] == "CLIENT_NOT_AUTHENTICATED"
        assert seat.send("Authenticate", data={"clientSeed": "from-the-client"})["authenticated"] is True


def test_a_client_seed_is_refused_after_a_round_with_the_server_s_choice(player: Player, shared_server: Server) -> None:
    token = session_token(player)
    with socket_player(shared_server, token) as seat:
        seat.act("Bet", {"betAmount": 1})
        assert seat.send("Authenticate", data={"clientSeed": "too-late"})["code"] == "CHANGE_SEED_FAILED"


@pytest.mark.parametrize("client_seed", ["", "a b", "a|b", "x" * 65, "\u00e9", 5, True, ["a"]])
def test_an_invalid_client_seed_is_refused(player: Player, shared_server: Server, client_seed: object) -> None:
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


def test_the_database_refuses_the_older_connection_that_got_no_announcement(player: Player, seat: SocketPlayer) -> None:
    GameSession.objects.filter(player=player).update(connection="another")
    answer = seat.act("Bet", {"betAmount": 1})
    assert answer["code"] == "AUTHENTICATION_FAILED"
    assert answer["message"] == "taken over: the session is open on another connection"
    with pytest.raises(ConnectionClosed) as closed:
        seat.receive()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4001


# Events in flight when a session ends or is taken over


def sent(seat: SocketPlayer, event_type: str, **members: Any) -> None:
    """Send an event without waiting for its answer."""
    event = {"eventType": event_type, "eventId": "in-flight", "gameId": "og-blackjack", "data": {}}
    seat.link.send(json.dumps(event | members))


def closed_with(seat: SocketPlayer) -> int:
    """Return the close code that comes next."""
    with pytest.raises(ConnectionClosed) as closed:
        seat.receive()
    assert closed.value.rcvd is not None
    return int(closed.value.rcvd.code)


def test_an_action_in_flight_at_a_take_over_is_answered_on_the_new_connection_alone(
    player: Player, shared_server: Server, superuser: psycopg.Connection
) -> None:
    token, start = session_token(player), len(shared_server.log_text)
    with (
        socket_player(shared_server, token) as first,
        socket_player(shared_server, token, authenticate=False) as second,
    ):
        with superuser.transaction():
            superuser.execute("SELECT FROM wallet WHERE id = %s FOR UPDATE", [Wallet.objects.get(player=player).pk])
            sent(first, "RoundAction", action="Bet", data={"betAmount": 10})
            lock_wait_await()
            second.authenticate()
            told = first.receive()
            assert (told["code"], "taken over" in told["message"]) == ("AUTHENTICATION_FAILED", True)
            assert closed_with(first) == 4001
        answer = second.act("Bet", {"betAmount": 10}, event_id="in-flight")
        assert answer["roundId"] == str(Round.objects.get(player=player).pk)
    assert "Traceback" not in shared_server.log_text[start:]
    assert '"error"' not in shared_server.log_text[start:]


def test_frames_after_a_take_over_get_no_answer_and_no_log_line(player: Player, shared_server: Server) -> None:
    token, start = session_token(player), len(shared_server.log_text)
    with (
        socket_player(shared_server, token) as first,
        socket_player(shared_server, token, authenticate=False) as second,
    ):
        for _ in range(200):
            sent(first, "GetBalance")
        second.authenticate()
        while (answer := first.receive())["eventType"] == "BalanceUpdate":
            with suppress(ConnectionClosed):  # the end may have arrived without being read yet
                sent(first, "GetBalance")
        assert (answer["code"], answer["eventType"]) == ("AUTHENTICATION_FAILED", "Error")
        assert closed_with(first) == 4001
        assert second.send("GetBalance", data={})["data"]["balance"] == "100"
    assert '"error"' not in shared_server.log_text[start:]


@pytest.mark.parametrize("event_type", ["GetBalance", "RoundState"])
@pytest.mark.parametrize("ended", ["revoked", "expired", "taken over"])
def test_reads_of_an_ended_session_are_refused(player: Player, seat: SocketPlayer, event_type: str, ended: str) -> None:
    session_end(player, ended)
    assert seat.send(event_type, data={})["code"] == "AUTHENTICATION_FAILED"
    assert closed_with(seat) == (4001 if ended == "taken over" else 4000)


@pytest.mark.parametrize("ended", ["revoked", "expired"])
def test_a_read_in_flight_when_its_session_ends_is_refused(
    player: Player, seat: SocketPlayer, superuser: psycopg.Connection, ended: str
) -> None:
    with superuser.transaction():
        superuser.execute("LOCK TABLE wallet IN ACCESS EXCLUSIVE MODE")
        sent(seat, "GetBalance")
        lock_wait_await()
        session_end(player, ended)
    assert seat.receive()["code"] == "AUTHENTICATION_FAILED"
    assert closed_with(seat) == 4000


def test_the_server_closes_the_connection_of_a_session_that_expires(player: Player, shared_server: Server) -> None:
    token = session_token(player)
    GameSession.objects.filter(player=player).update(expires_at=timezone.now() + timedelta(seconds=2))
    with socket_player(shared_server, token) as seat:
        assert seat.receive()["code"] == "AUTHENTICATION_FAILED"
        assert closed_with(seat) == 4000


def test_the_server_closes_the_connection_of_a_session_that_is_ended(player: Player, seat: SocketPlayer) -> None:
    game_session_end(session=GameSession.objects.get(player=player))
    assert seat.receive()["code"] == "AUTHENTICATION_FAILED"
    assert closed_with(seat) == 4000


def session_end(player: Player, how: str) -> None:
    change: dict[str, Any] = {
        "revoked": {"ended_at": timezone.now()},
        "expired": {"expires_at": timezone.now()},
        "taken over": {"connection": "another"},
    }[how]
    GameSession.objects.filter(player=player).update(**change)
