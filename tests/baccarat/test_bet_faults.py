"""A server that is killed in the middle of a bet, an unavailable database, a configuration changed by another
process."""

import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from http import HTTPStatus
from http.client import HTTPException, HTTPMessage
from itertools import pairwise
from typing import Any

import pytest

from apps.baccarat.apps import GAME_ID as BACCARAT
from apps.baccarat.engine import GameType, Winner
from apps.baccarat.models import BaccaratConfig, BaccaratGameRecord
from apps.core import json
from apps.idempotency.models import StoredAnswer
from apps.rounds.models import Round
from apps.wallet.models import WalletTransaction
from casino.settings.waits import WAIT_S
from tests.support.baccarat import BET_PATH, Seat, odds_set, offer_make, seat_make, seeds_choose
from tests.support.postgres_proxy import Proxy, proxy_run
from tests.support.server import Server, app_url, server_run

pytestmark = pytest.mark.usefixtures("committed")

TEN_ON_TIE = {"game_type": 3, "bet_amount": 10}


@dataclass(frozen=True)
class Reply:
    """The server's answer."""

    status: int
    text: bytes
    headers: HTTPMessage

    @property
    def body(self) -> Any:
        return json.decode(self.text)


def bet_send(server: Server, seat: Seat, body: object = TEN_ON_TIE, *, key: str | None = None) -> Reply:
    """Place a bet over a real connection. Raises OSError or HTTPException if no answer comes."""
    headers = {"Authorization": f"Bearer {seat.token}", "Content-Type": "application/json"}
    if key is not None:
        headers["Idempotency-Key"] = key
    request = urllib.request.Request(f"{server.url}{BET_PATH}", json.encode(body), headers)
    try:
        with urllib.request.urlopen(request, timeout=WAIT_S) as response:
            return Reply(response.status, response.read(), response.headers)
    except urllib.error.HTTPError as error:
        with error:
            return Reply(error.code, error.read(), error.headers)


def bet_send_until(status: int, server: Server, seat: Seat, *, key: str | None = None) -> Reply:
    """Place a bet, again and again while the answer is 503. The server itself waits some seconds each time."""
    deadline = time.monotonic() + WAIT_S
    while (reply := bet_send(server, seat, key=key)).status != status:
        assert "Retry-After" in reply.headers, reply.text
        assert time.monotonic() < deadline, reply.text
    return reply


@contextmanager
def server_behind_proxy() -> Iterator[tuple[Server, Proxy]]:
    with proxy_run(app_url()) as proxy:
        addresses = {"DATABASE_URL": proxy.url, "DATABASE_OWNER_URL": proxy.url}
        with server_run(PUNTO_RATE_LIMITS="0", **addresses) as server:
            yield server, proxy


GAPS = (
    (b"baccarat_bet_contexts_load", False),  # before anything is read
    (b'"records"', False),  # read and dealt, nothing written; the second statement has the records
    (b'"records"', True),  # written, not answered
)


def test_a_server_killed_between_two_statements_leaves_a_whole_bet_or_none() -> None:
    with server_behind_proxy() as (server, proxy), ThreadPoolExecutor(1) as pool:
        for marker, after in GAPS:
            seat = seat_make("100")
            hold = proxy.hold(marker, after=after)
            lost = pool.submit(bet_send, server, seat, key="k1")
            assert hold.reached.wait(WAIT_S)
            server.kill()  # another server has replaced it
            proxy.drop()
            assert isinstance(lost.exception(timeout=WAIT_S), OSError | HTTPException)
            assert traces(seat) == ((1, 1, 1) if after else (0, 0, 0))

            answer = bet_send_until(HTTPStatus.OK, server, seat, key="k1")
            assert bet_send(server, seat, key="k1").text == answer.text
            assert traces(seat) == (1, 1, 1)
            assert answer.body["nonce"] == 0
            assert answer.body["balance"] == seat.balance == 90 + answer.body["reward_amount"]
            rows = list(WalletTransaction.objects.filter(wallet__player=seat.player).order_by("number"))
            assert all(later.balance_after == earlier.balance_after + later.change for earlier, later in pairwise(rows))
            assert rows[-1].balance_after == seat.balance


def traces(seat: Seat) -> tuple[int, int, int]:
    """Return how many rounds, records and stored answers the player has."""
    return (
        Round.objects.filter(player=seat.player).count(),
        BaccaratGameRecord.objects.filter(player=seat.player).count(),
        StoredAnswer.objects.filter(scope=f"play:{seat.player.pk}:{BACCARAT}").count(),
    )


def test_503_without_the_database_until_it_is_back() -> None:
    seat = seat_make("100")
    with server_behind_proxy() as (server, proxy):
        assert bet_send(server, seat).status == HTTPStatus.OK
        proxy.shut()
        for _ in range(2):  # first an open connection breaks, then a new one is refused
            gone = bet_send(server, seat)
            assert (gone.status, gone.body["code"]) == (503, "SERVICE_UNAVAILABLE")
            assert set(gone.body) == {"code", "message"}
            assert int(gone.headers["Retry-After"]) > 0
        proxy.open()
        bet_send_until(HTTPStatus.OK, server, seat)
    assert Round.objects.count() == 2


def test_saved_limits_and_odds_hold_from_the_next_bet_on_in_every_process(shared_server: Server) -> None:
    seat = seat_make("1000")
    seeds_choose(seat.player, lambda outcome: outcome.winner is Winner.PLAYER, rounds=3)
    config = BaccaratConfig.objects.get()

    def bet(amount: int) -> Reply:
        return bet_send(shared_server, seat, {"game_type": 1, "bet_amount": amount})

    assert bet(100).body["reward_amount"] == 200
    offer_make(seat.player.partner, bet_max="50")
    assert bet(100).body["code"] == "INVALID_BET_AMOUNT"
    assert bet(50).body["reward_amount"] == 100
    odds_set(config, GameType.PLAYER, "0.9")
    assert bet(50).body["reward_amount"] == 95
    versions = list(BaccaratGameRecord.objects.order_by("id").values_list("config_version", "odds"))
    assert versions == [(1, 1), (2, 1), (3, Decimal("0.9"))]
