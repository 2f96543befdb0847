"""The socket while Redis is unavailable: it opens and plays without announcements, which resume with Redis."""

import shutil
from collections.abc import Iterator

import pytest
from redis import Redis as Client
from redis.exceptions import RedisError
from websockets.exceptions import ConnectionClosed

from apps.accounts.models import Player
from apps.core.pubsub import GROUP
from apps.wallet.models import Wallet
from casino.local.data_dirs import data_dir_for, home_of
from casino.local.redis import Redis
from tests.local.conftest import eventually
from tests.support.blackjack import SocketPlayer, seeds_choose, session_token, socket_player, values_are
from tests.support.server import Server, server_run


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    """A Redis of these tests' own, which they can stop and start. With one address one server serves them all."""
    checkout = tmp_path_factory.mktemp("redis-away")
    server = Redis(data_dir_for(checkout, "run"), durable=False)
    server.start()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(home_of(checkout), ignore_errors=True)


@pytest.fixture
def server(committed: None, redis: Redis) -> Iterator[Server]:
    """A server that has that Redis."""
    with server_run(REDIS_URL=redis.url, PUNTO_RATE_LIMITS="0") as server:
        yield server


def listeners_await(redis: Redis) -> None:
    """Wait until the server has subscribed to announcements."""

    def is_heard() -> bool:
        try:
            with Client.from_url(redis.url) as client:
                return bool(client.pubsub_channels(f"*{GROUP}"))
        except RedisError:
            return False

    eventually(is_heard)


def expect_told(seat: SocketPlayer) -> None:
    """Check that the seat gets the announcement of a take-over and is closed."""
    told = seat.receive()
    said = "taken over: the session is open on another connection"
    assert (told["code"], told["message"]) == ("AUTHENTICATION_FAILED", said)
    expect_closed(seat)


def expect_closed(seat: SocketPlayer) -> None:
    with pytest.raises(ConnectionClosed) as closed:
        seat.receive()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4001


def test_a_socket_opens_and_plays_without_redis(player: Player, redis: Redis, server: Server) -> None:
    seeds_choose(player, values_are(10, 6, 10, 10, 10), cards=5)
    redis.stop()
    token = session_token(player)
    with socket_player(server, token) as first:
        bet = first.act("Bet", {"betAmount": 10})
        with socket_player(server, token) as second:
            # The first one got no announcement; the database refuses it.
            answer = first.send("RoundAction", action="Stand", data={})
            assert answer["message"] == "taken over: the session is open on another connection"
            expect_closed(first)
            assert second.send("RoundState")["roundId"] == bet["roundId"]
            second.play_out(second.act("Stand"))
            assert second.send("GetBalance", data={})["data"]["balance"] == "110"
            assert Wallet.objects.get(player=player).balance == 110
            redis.start()
            listeners_await(redis)
            with socket_player(server, token):
                expect_told(second)
    assert "Traceback" not in server.log_text


def test_an_open_socket_gets_announcements_again_when_redis_is_back(
    player: Player, redis: Redis, server: Server
) -> None:
    token = session_token(player)
    with socket_player(server, token) as first:
        redis.stop()
        assert first.send("GetBalance", data={})["data"]["balance"] == "100"
        redis.start()
        listeners_await(redis)
        with socket_player(server, token):
            expect_told(first)
