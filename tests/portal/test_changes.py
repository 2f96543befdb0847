"""Pages get an announcement without content when something of their player changes."""

import asyncio
import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any
from urllib.parse import quote

import pytest
from channels.layers import get_channel_layer
from django.core import signing
from django.db import connection, transaction
from django.utils import timezone
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from apps.accounts.models import Player, Role
from apps.blackjack.models import BlackjackConfig
from apps.blackjack.services import idle_rounds_play_out
from apps.core.player_changes import player_changed, player_topic
from apps.core.pubsub import GROUP
from apps.portal.authentication import CHANGES_TOKEN_S, changes_player, changes_token
from apps.portal.consumers import MAX_PAGES
from apps.portal.services import wallet_refill
from apps.rounds.models import Round
from apps.rounds.services import round_void
from apps.wallet.models import Kind, Wallet
from apps.wallet.services import wallet_adjust
from casino.settings.waits import WAIT_S
from tests.support.baccarat import Seat, offer_make
from tests.support.blackjack import (
    SocketPlayer,
    blackjack_offer,
    seeds_choose,
    session_token,
    socket_player,
    values_are,
)
from tests.support.factories import player_make, staff_make, user_make
from tests.support.ledger import move
from tests.support.loop import run
from tests.support.partners import PartnerClient
from tests.support.server import ROOT, Server, server_environment

pytestmark = pytest.mark.usefixtures("committed")


@pytest.fixture
def player() -> Player:
    """A player with 100 FUN and a log-in, at a partner that offers both games."""
    player = player_make(balance=Decimal(100), user=user_make())
    offer_make(player.partner)
    blackjack_offer(player.partner)
    return player


@contextmanager
def page_open(server: Server, token: str) -> Iterator[ClientConnection]:
    """Connect as a page does, and read the first announcement, which comes at once."""
    with connect(f"{server.socket_url}/portal?token={quote(token)}", open_timeout=WAIT_S, close_timeout=5) as page:
        told(page)
        yield page


@pytest.fixture
def page(player: Player, shared_server: Server) -> Iterator[ClientConnection]:
    with page_open(shared_server, changes_token(player)) as page:
        yield page


@pytest.fixture
def seat(player: Player, shared_server: Server) -> Iterator[SocketPlayer]:
    with socket_player(shared_server, session_token(player)) as seat:
        yield seat


def told(page: ClientConnection) -> None:
    assert json.loads(page.recv(timeout=WAIT_S)) == {"changed": True}


def wallet_of(player: Player) -> Wallet:
    return Wallet.objects.get(player=player)


def deposit(player: Player) -> None:
    body = {"player": player.reference, "currency": "FUN", "amount": "5", "transaction_id": "t-1"}
    assert PartnerClient(player.partner).post("/v1/wallets/deposit", body, idempotency_key="k").status == 200


def adjust(player: Player) -> None:
    wallet_adjust(operator=staff_make(Role.OPERATOR), wallet=wallet_of(player), change=Decimal(-1), reason="why")


def bet(player: Player) -> None:
    assert Seat(player).bet({"game_type": 1, "bet_amount": 1}).status == 200


def refill(player: Player) -> None:
    move(wallet_of(player), Kind.WITHDRAWAL, "-100")
    wallet_refill(player=player, currency_code="FUN")


@pytest.mark.parametrize("change", [deposit, adjust, bet, refill])
def test_a_page_is_told_of_every_movement_of_money(
    player: Player, page: ClientConnection, change: Callable[[Player], None]
) -> None:
    change(player)
    told(page)


def test_a_page_is_told_of_a_bet_on_the_event_loop(
    player: Player, page: ClientConnection, shared_server: Server
) -> None:
    request = urllib.request.Request(
        f"{shared_server.url}/api/game/baccarat/bet",
        data=b'{"game_type": 1, "bet_amount": 1}',
        headers={"Authorization": f"Bearer {Seat(player).token}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=WAIT_S) as answer:
        assert answer.status == 200
    told(page)


def test_a_page_is_told_of_each_action_even_without_money(
    player: Player, page: ClientConnection, seat: SocketPlayer
) -> None:
    seeds_choose(player, values_are(2, 6, 3), cards=3)
    seat.act("Bet", {"betAmount": 10})
    told(page)
    assert seat.act("Hit")["eventType"] == "RoundUpdate"
    told(page)


def test_a_page_is_told_of_a_round_that_the_platform_plays_out(
    player: Player, page: ClientConnection, seat: SocketPlayer
) -> None:
    seeds_choose(player, values_are(10, 6, 10, 10, 10), cards=5)
    opened = seat.act("Bet", {"betAmount": 10})
    told(page)
    tomorrow = timezone.now() + timedelta(days=1)
    assert run(idle_rounds_play_out(round_ids=[opened["roundId"]], idle_before=tomorrow)) == 1
    told(page)


@pytest.mark.parametrize("stake", [10, 0])
def test_a_page_is_told_of_an_open_round_that_is_voided(
    player: Player, page: ClientConnection, seat: SocketPlayer, stake: int
) -> None:
    BlackjackConfig.objects.update(bet_min=0, free_play=True)
    seeds_choose(player, values_are(10, 6, 10, 10, 10), cards=5)
    seat.act("Bet", {"betAmount": stake})
    told(page)
    round_void(operator=staff_make(Role.OPERATOR), round=Round.objects.get(), reason="a fault")
    told(page)


# Announcements


def announced(work: Callable[[], object]) -> list[str]:
    """Do the work in a thread, and return the topics of the first announcement after it."""

    async def listen() -> list[str]:
        layer = get_channel_layer()
        channel = await layer.new_channel()
        await layer.group_add(GROUP, channel)
        await asyncio.to_thread(work)
        message: dict[str, Any] = await asyncio.wait_for(layer.receive(channel), WAIT_S)
        assert set(message) == {"type", "topics"}
        return list(message["topics"])

    return asyncio.run(listen())


def test_a_rolled_back_change_is_not_announced(player: Player) -> None:
    other = player_make()

    def work() -> None:
        with transaction.atomic():
            player_changed(player.pk)
            transaction.set_rollback(True)
        with transaction.atomic():
            player_changed(other.pk)
        connection.close()

    assert announced(work) == [player_topic(other.pk)]


def test_concurrent_changes_are_one_announcement(player: Player) -> None:
    def work() -> None:
        for _ in range(1000):
            player_changed(player.pk)
        connection.close()

    assert announced(work) == [player_topic(player.pk)]


FORKING = """
import os, sys, django
django.setup()
from apps.core.player_changes import player_changed
os.write(1, b"ready")
os.read(0, 1)
player_changed(int(sys.argv[1]))
os.read(0, 1)
child = os.fork()
if child == 0:
    player_changed(int(sys.argv[2]))
    os.read(0, 1)
    os._exit(0)
os.waitpid(child, 0)
"""


def test_a_forked_process_announces_too(player: Player) -> None:
    """Celery's workers and the tests' servers are forks, which do not inherit their parents' threads. The test's own
    process must not fork, since the fork would drop the open database connections of the other threads.
    """
    other = player_make()
    words = [sys.executable, "-m", "tests.support.bound", "-c", FORKING, str(other.pk), str(player.pk)]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, cwd=ROOT, env=server_environment(), stdin=pipe, stdout=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.read(5) == b"ready"
        step = partial(os.write, process.stdin.fileno(), b"x")
        assert announced(step) == [player_topic(other.pk)]
        assert announced(step) == [player_topic(player.pk)]
        process.stdin.close()
        assert process.wait(WAIT_S) == 0


# Access


def refused(server: Server, token: str) -> bool:
    try:
        with page_open(server, token):
            return False
    except InvalidStatus as error:
        return error.response.status_code == 403


def test_a_forged_or_foreign_token_is_refused(player: Player, shared_server: Server) -> None:
    token = changes_token(player)
    assert not refused(shared_server, token)
    for forged in ("", "x", token[:-1], f"{player.pk + 1}{token[len(str(player.pk)) :]}"):
        assert refused(shared_server, forged)
    assert refused(shared_server, signing.TimestampSigner(salt="another").sign(str(player.pk)))


def test_a_token_expires_after_minutes(player: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    token = changes_token(player)
    now = signing.time.time()
    monkeypatch.setattr(signing.time, "time", lambda: now + CHANGES_TOKEN_S - 2)
    assert changes_player(token) == player.pk
    monkeypatch.setattr(signing.time, "time", lambda: now + CHANGES_TOKEN_S + 2)
    assert changes_player(token) is None


def test_a_page_that_sends_a_message_is_closed(page: ClientConnection) -> None:
    page.send("hello")
    with pytest.raises(ConnectionClosed) as closed:
        page.recv(timeout=WAIT_S)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 1008


def test_a_player_has_a_maximum_number_of_pages(player: Player, shared_server: Server) -> None:
    with ExitStack() as stack:
        for _ in range(MAX_PAGES):
            stack.enter_context(page_open(shared_server, changes_token(player)))
        assert refused(shared_server, changes_token(player))
        assert not refused(shared_server, changes_token(player_make()))


def test_every_page_of_a_player_is_told(player: Player, page: ClientConnection, shared_server: Server) -> None:
    with page_open(shared_server, changes_token(player)) as second:
        adjust(player)
        told(page)
        told(second)
