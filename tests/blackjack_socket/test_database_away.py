"""The socket while PostgreSQL is unavailable: the connection stays open, and no action happens twice."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from apps.accounts.models import Player
from apps.rounds.models import Round
from apps.wallet.models import WalletTransaction
from casino.settings.waits import WAIT_S
from tests.support.blackjack import SocketPlayer, hard_eleven, seeds_choose, session_token, socket_player
from tests.support.postgres_proxy import Proxy, proxy_run
from tests.support.server import Server, app_url, server_run

ServerBehindProxy = tuple[Server, Proxy]


@pytest.fixture
def server_behind_proxy(committed: None) -> Iterator[ServerBehindProxy]:
    """A server that reaches PostgreSQL through a proxy of the test."""
    with proxy_run(app_url()) as proxy:
        addresses = {"DATABASE_URL": proxy.url, "DATABASE_OWNER_URL": proxy.url}
        with server_run(PUNTO_RATE_LIMITS="0", **addresses) as server:
            yield server, proxy


def act_until_it_goes(seat: SocketPlayer, action: str, data: dict[str, Any], *, event_id: str) -> dict[str, Any]:
    """Send an action with one eventId until it succeeds."""
    deadline = time.monotonic() + WAIT_S
    while (answer := seat.act(action, data, event_id=event_id))["eventType"] != "RoundUpdate":
        assert answer["code"] == "SERVICE_UNAVAILABLE", answer
        assert time.monotonic() < deadline, answer
    return answer


def test_play_goes_on_when_the_database_is_back(player: Player, server_behind_proxy: ServerBehindProxy) -> None:
    server, proxy = server_behind_proxy
    seeds_choose(player, hard_eleven, cards=4)
    with socket_player(server, session_token(player)) as seat:
        seat.act("Bet", {"betAmount": 10}, event_id="bet")
        proxy.shut()
        for number in range(2):  # first an open connection breaks, then a new one is refused
            assert seat.act("Hit", event_id=f"hit-{number}")["code"] == "SERVICE_UNAVAILABLE"
        proxy.open()
        act_until_it_goes(seat, "Double", {}, event_id="double")
    assert Round.objects.get(player=player).stake == 20


@pytest.mark.parametrize("after", [False, True], ids=["before it is written", "before the answer"])
def test_a_connection_lost_before_or_after_the_write_leaves_one_bet(
    player: Player, server_behind_proxy: ServerBehindProxy, after: bool
) -> None:
    server, proxy = server_behind_proxy
    seeds_choose(player, hard_eleven, cards=4)
    with socket_player(server, session_token(player)) as seat, ThreadPoolExecutor(1) as pool:
        hold = proxy.hold(b'"pace"', after=after)  # the setup is a parameter of the second statement
        lost = pool.submit(seat.act, "Bet", {"betAmount": 10}, event_id="bet")
        assert hold.reached.wait(WAIT_S)
        proxy.drop()
        assert lost.result(timeout=WAIT_S)["code"] == "SERVICE_UNAVAILABLE"
        assert Round.objects.filter(player=player).count() == int(after)

        answer = act_until_it_goes(seat, "Bet", {"betAmount": 10}, event_id="bet")
        assert answer["data"]["nextActions"]
    assert Round.objects.get(player=player).stake == 10
    assert WalletTransaction.objects.filter(wallet__player=player, kind="bet").count() == 1
