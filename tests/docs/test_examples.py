"""The examples of the documentation, run against the real server."""

import json
import re
import subprocess
import sys
from decimal import Decimal
from typing import Any

import pytest
from websockets.sync.client import connect

from apps.accounts.models import Player
from apps.blackjack.apps import GAME_ID as BLACKJACK
from apps.office.demo import RIVIERA, demo_fill
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import Round, RoundEnd
from apps.wallet.models import Wallet
from casino.settings.waits import WAIT_S
from tests.docs.pages import fences, page, request_send, requests, section, shape
from tests.support.baccarat import seeds_set
from tests.support.blackjack import blackjack_offer, seeds_choose, values_are
from tests.support.factories import player_make
from tests.support.played import act
from tests.support.server import Server

SERVER_SEED = "0123456789abcdef" * 4
CLIENT_SEED = "worked-109662"


@pytest.fixture
def player(committed: None) -> Player:
    """A player with 1,000 FUN whose partner offers blackjack."""
    player = player_make(balance=Decimal(1000))
    blackjack_offer(player.partner)
    return player


def socket_address(server: Server, player: Player) -> str:
    token = game_session_open(player=player, game=BLACKJACK, currency_code="FUN")[1]
    return f"{server.socket_url}?game_session_id={token}"


def test_the_requests_of_the_readme_are_answered_as_printed(committed: None, shared_server: Server) -> None:
    """Each request is accepted on the demo's data, and each printed answer has the shape of the real one."""
    keys = {key.partner: key.text for key in demo_fill(password="open sesame 99").keys}
    variables = {"PUNTO": shared_server.url, "KEY": keys[RIVIERA] or ""}
    answers: list[Any] = []
    compared = 0
    for language, block in fences(section(page("README.md"), "Partner's system")):
        if language == "json":
            assert shape(answers[-1]) == shape(json.loads(block))
            compared += 1
        elif block.startswith("curl"):
            answers += [request_send(words, variables) for words in requests(block)]
            variables["SESSION"] = next(
                (answer["game_session_id"] for answer in answers if "game_session_id" in answer), ""
            )
        else:
            assert set(re.findall(r"^(\w+)=", block, re.MULTILINE)) <= set(variables)
    assert (len(answers), compared) == (10, 3)
    assert answers[1] == {"success": True, "versions": {"EUR": 3}}
    assert Decimal(answers[8]["wallets"][0]["balance"]) - 5 == Decimal(answers[9]["balance"])


def test_the_session_of_the_protocol_has_the_printed_answers(player: Player, shared_server: Server) -> None:
    """With the seeds of the page, every answer has the printed bytes, except for the round's id."""
    text = section(page("docs/protocol.md"), "A session to replay")
    assert f"`{SERVER_SEED}`" in text
    assert f"`{CLIENT_SEED}`" in text
    seeds_set(player, SERVER_SEED, CLIENT_SEED)
    lines = [line for language, block in fences(text) if language == "json" for line in block.splitlines()]
    round_id = re.compile(r'"roundId":"[0-9a-f-]{36}"')
    with connect(socket_address(shared_server, player), open_timeout=WAIT_S) as link:
        for request, printed in zip(lines[::2], lines[1::2], strict=True):
            link.send(request)
            answer = link.recv(timeout=WAIT_S)
            assert round_id.sub("", str(answer)) == round_id.sub("", printed)
    assert len(lines) == 28
    assert Round.objects.get(player=player).how_ended == RoundEnd.PLAYED


def test_the_verification_of_the_protocol_has_the_printed_cards(committed: None, shared_server: Server) -> None:
    text = section(page("docs/protocol.md"), "A session to replay")
    (block,) = (block for language, block in fences(text) if language == "sh")
    (words,) = requests(block)
    answer = request_send(words, {"PUNTO": shared_server.url})
    printed = re.search(r"Its `cards` are `([^`]+)`", text)
    assert printed is not None
    assert answer["cards"] == printed.group(1).split()


@pytest.mark.parametrize("is_open", [False, True], ids=["a-new-round", "an-open-round"])
def test_the_client_of_the_protocol_plays_a_round(player: Player, shared_server: Server, *, is_open: bool) -> None:
    """Without an open round the client gets a Warning and bets. With an open round it plays that round to its end."""
    ((language, program),) = fences(section(page("docs/protocol.md"), "A client"))
    assert language == "python"
    address = socket_address(shared_server, player)
    if is_open:
        seeds_choose(player, values_are(10, 6, 2, 10), cards=4)
        act(address.rpartition("=")[2], "Bet", betAmount=10)
    run = subprocess.run(
        [sys.executable, "-c", program, address], capture_output=True, text=True, timeout=WAIT_S, check=False
    )
    found = re.fullmatch(r"\d+ points, paid ([0-9.]+), balance ([0-9.]+)\n", run.stdout)
    assert found, run.stderr
    assert run.stderr == ""  # a warning of the package too would alarm a newcomer
    played = Round.objects.get(player=player)
    assert (played.how_ended, played.payout) == (RoundEnd.PLAYED, Decimal(found.group(1)))
    assert Wallet.objects.get(player=player).balance == Decimal(found.group(2))
