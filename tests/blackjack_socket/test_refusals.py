"""Bad input gets the documented code, changes nothing, leaves the connection open and reveals nothing."""

import json
import random
import re
from typing import Any

import pytest

from apps.accounts.models import Player, PlayerStatus
from apps.baccarat.apps import GAME_ID as BACCARAT
from apps.core.errors import PlayerBlocked
from apps.partners.models import Partner
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import Round
from apps.wallet.models import Wallet
from casino.settings.waits import WAIT_S
from tests.local.conftest import eventually
from tests.support.blackjack import SocketPlayer, hard_eleven, seeds_choose, session_token, socket_player, values_are
from tests.support.server import Server, server_run

CODES = {
    "AUTHENTICATION_FAILED", "CLIENT_NOT_AUTHENTICATED", "GAME_ROUND_NOT_FOUND", "INSUFFICIENT_FUNDS",
    "INVALID_NEXT_ACTION", "INVALID_BET_AMOUNT", "INVALID_PAYLOAD_SCHEMA", "INVALID_EVENT_TYPE", "INVALID_ACTION",
    "INVALID_GAME_ID", "INVALID_CURRENCY", "INVALID_EVENT_INPUTS", "RATE_LIMITED",
}  # fmt: skip
GAME = {"gameId": "og-blackjack"}


def event(**members: Any) -> str:
    return json.dumps({"eventId": "e", "eventType": "RoundAction", "action": "Bet", **GAME, "data": {}} | members)


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        pytest.param("{", "INVALID_PAYLOAD_SCHEMA", id="truncated"),
        pytest.param(b"\x00\x01", "INVALID_PAYLOAD_SCHEMA", id="binary"),
        pytest.param("[" * 50_000, "INVALID_PAYLOAD_SCHEMA", id="deep"),
        pytest.param("[]", "INVALID_PAYLOAD_SCHEMA", id="a-list"),
        pytest.param("null", "INVALID_PAYLOAD_SCHEMA", id="null"),
        pytest.param("{}", "INVALID_EVENT_TYPE", id="empty"),
        pytest.param(event(eventType="Nothing"), "INVALID_EVENT_TYPE", id="unknown-event-type"),
        pytest.param(event(eventType=7), "INVALID_EVENT_TYPE", id="event-type-a-number"),
        pytest.param(event(eventId=""), "INVALID_EVENT_INPUTS", id="empty-event-id"),
        pytest.param(event(eventId="x" * 65), "INVALID_EVENT_INPUTS", id="long-event-id"),
        pytest.param(event(eventId="a\x00b"), "INVALID_EVENT_INPUTS", id="event-id-with-nul"),
        pytest.param(event(eventId=5), "INVALID_EVENT_INPUTS", id="event-id-a-number"),
        pytest.param(event(gameId="og-roulette"), "INVALID_GAME_ID", id="another-game"),
        pytest.param(event(gameId=None), "INVALID_GAME_ID", id="no-game"),
        pytest.param(event(action="Fold"), "INVALID_ACTION", id="unknown-action"),
        pytest.param(
            json.dumps({"eventId": "e", "eventType": "RoundAction", **GAME}), "INVALID_ACTION", id="no-action"
        ),
        pytest.param(event(data=[]), "INVALID_EVENT_INPUTS", id="data-a-list"),
        pytest.param(
            event().replace('"data": {}', '"data": {"x": ' + "[" * 700 + "]" * 700 + "}"),
            "INVALID_PAYLOAD_SCHEMA",
            id="deep-data",
        ),
        pytest.param(event(data={"betAmount": True}), "INVALID_EVENT_INPUTS", id="amount-true"),
        pytest.param(event(data={"betAmount": {}}), "INVALID_EVENT_INPUTS", id="amount-an-object"),
        pytest.param(event(data={"betAmount": "ten"}), "INVALID_BET_AMOUNT", id="amount-a-word"),
        pytest.param(event(data={"betAmount": -1}), "INVALID_BET_AMOUNT", id="negative"),
        pytest.param(event(data={"betAmount": 0.5}), "INVALID_BET_AMOUNT", id="below-the-minimum"),
        pytest.param(event(data={"betAmount": 1001}), "INVALID_BET_AMOUNT", id="above-the-maximum"),
        pytest.param(event(data={"betAmount": 1.001}), "INVALID_BET_AMOUNT", id="three-decimals"),
        pytest.param(event(data={"betAmount": 500}), "INSUFFICIENT_FUNDS", id="more-than-there-is"),
        pytest.param(event(data={"betAmount": 1, "pokerBetAmount": 101}), "INVALID_BET_AMOUNT", id="side-bet-limit"),
        pytest.param(event(action="Hit"), "GAME_ROUND_NOT_FOUND", id="no-round"),
        pytest.param(event(eventType="RoundState"), "GAME_ROUND_NOT_FOUND", id="no-round-to-show"),
        pytest.param(event(eventType="GetBalance", data={"currency": "XXX"}), "INVALID_CURRENCY", id="no-currency"),
        pytest.param(event(eventType="GetBalance", data={"currency": "F\x00"}), "INVALID_CURRENCY", id="currency-nul"),
        pytest.param(event(eventType="GetBalance", data={"currency": 1}), "INVALID_CURRENCY", id="currency-a-number"),
    ],
)
def test_bad_input_gets_its_documented_code_and_changes_nothing(
    player: Player, seat: SocketPlayer, frame: str | bytes, code: str
) -> None:
    seat.link.send(frame)
    answer = seat.receive()
    assert answer["code"] == code
    assert answer["message"]
    assert not Round.objects.filter(player=player).exists()
    assert Wallet.objects.get(player=player).balance == 100
    assert seat.send("GetBalance", data={"currency": "FUN"})["data"]["balance"] == "100"


@pytest.mark.parametrize("number", ["1e999999999", "1e-999999999", "-1e999999999", "9" * 5000, "1e73"])
def test_a_number_with_a_huge_exponent_is_refused_as_an_amount_and_ignored_elsewhere(
    player: Player, seat: SocketPlayer, number: str
) -> None:
    seat.link.send(event().replace('"data": {}', f'"data": {{"betAmount": {number}}}'))
    assert seat.receive()["code"] == "INVALID_BET_AMOUNT"
    seat.link.send(event().replace('"data": {}', f'"data": {{"betAmount": 10, "note": {number}}}, "note": {number}'))
    assert seat.receive()["eventType"] == "RoundUpdate"


def test_actions_outside_next_actions_change_nothing(player: Player, seat: SocketPlayer) -> None:
    seeds_choose(player, values_are(10, 6, 2, 10), cards=4)
    seat.act("Bet", {"betAmount": 10})
    for action in ("Bet", "Peek", "Split"):
        assert seat.act(action, {"betAmount": 1, "acceptedInsurance": False})["code"] == "INVALID_NEXT_ACTION"
    assert Wallet.objects.get(player=player).balance == 90


def test_double_without_funds_is_not_offered_and_is_refused(player: Player, seat: SocketPlayer) -> None:
    seeds_choose(player, hard_eleven, cards=4)
    bet = seat.act("Bet", {"betAmount": 60})
    assert "Double" not in bet["data"]["nextActions"]
    assert seat.act("Double")["code"] == "INSUFFICIENT_FUNDS"
    assert Wallet.objects.get(player=player).balance == 40


def test_a_blocked_player_may_finish_and_may_not_bet(player: Player, seat: SocketPlayer) -> None:
    seeds_choose(player, hard_eleven, cards=4)
    bet = seat.act("Bet", {"betAmount": 10}, event_id="bet")
    Player.objects.filter(pk=player.pk).update(status=PlayerStatus.BLOCKED)
    assert seat.act("Bet", {"betAmount": 10}, event_id="bet") == bet
    assert seat.act("Double")["code"] == "PLAYER_BLOCKED"
    seat.play_out(seat.act("Stand"))
    assert seat.act("Bet", {"betAmount": 1})["code"] == "PLAYER_BLOCKED"


@pytest.mark.parametrize("who", ["player", "partner"])
def test_a_blocked_player_authenticates_only_with_an_open_round(
    player: Player, shared_server: Server, who: str
) -> None:
    seeds_choose(player, values_are(8, 1, 8, 10), cards=4)
    token = session_token(player)
    with socket_player(shared_server, token) as seat:
        bet = seat.act("Bet", {"betAmount": 10})
    if who == "player":
        Player.objects.filter(pk=player.pk).update(status=PlayerStatus.BLOCKED)
    else:
        Partner.objects.filter(pk=player.partner_id).update(active=False)
    with socket_player(shared_server, token) as seat:
        assert seat.send("RoundState")["roundId"] == bet["roundId"]
        assert seat.act("Peek", {"acceptedInsurance": True})["code"] == "PLAYER_BLOCKED"
        ended = seat.act("Peek", {"acceptedInsurance": False})
        assert ended["data"]["roundEnded"] is True
        assert seat.act("Bet", {"betAmount": 1})["code"] == "PLAYER_BLOCKED"
    with socket_player(shared_server, token, authenticate=False) as seat:
        assert seat.receive()["code"] == "AUTHENTICATION_FAILED"
    assert Wallet.objects.get(player=player).balance == 90


def test_a_blocked_player_finishes_in_a_new_session_and_stakes_nothing_more(
    player: Player, shared_server: Server
) -> None:
    seeds_choose(player, values_are(8, 6, 8, 10, 10), cards=5)
    with socket_player(shared_server, session_token(player)) as seat:
        seat.act("Bet", {"betAmount": 10})
    Player.objects.filter(pk=player.pk).update(status=PlayerStatus.BLOCKED)
    with pytest.raises(PlayerBlocked):
        game_session_open(player=Player.objects.get(), game=BACCARAT, currency_code="FUN")
    with socket_player(shared_server, session_token(Player.objects.get())) as seat:
        for action in ("Double", "Split"):
            assert seat.act(action)["code"] == "PLAYER_BLOCKED"
        ended = seat.play_out(seat.act("Stand"))
        assert (ended["data"]["payout"], ended["data"]["balance"]) == ("20", "110")
    with pytest.raises(PlayerBlocked):
        session_token(Player.objects.get())


def test_frames_over_the_rate_limit_are_refused_and_the_connection_stays_open(player: Player) -> None:
    with server_run() as server, socket_player(server, session_token(player)) as seat:
        for number in range(200):
            seat.link.send(json.dumps({"eventType": "GetBalance", "eventId": str(number), **GAME, "data": {}}))
        answers = [seat.receive() for _ in range(200)]
        refused = next(answer for answer in answers if answer.get("code") == "RATE_LIMITED")
        assert re.fullmatch(r"more than \d+ messages a second; try again in a second", refused["message"])
        eventually(lambda: seat.send("GetBalance", data={}).get("code") != "RATE_LIMITED")


def test_mutated_messages_get_documented_answers_and_reveal_no_card(
    player: Player, seat: SocketPlayer, shared_server: Server
) -> None:
    """Neither answers nor logs contain a hidden card or the server seed."""
    chance = random.Random(20261121)
    start = len(shared_server.log_text)
    seeds_choose(player, values_are(10, 6, 2, 10), cards=4)
    seat.act("Bet", {"betAmount": 10})
    base = event(action="Peek", data={"acceptedInsurance": 1, "betAmount": 1.5, "insuranceAmount": "2"})
    sent = 0
    while sent < 10_000:
        batch = [_mutated(base, chance) for _ in range(100)]
        for frame in batch:
            seat.link.send(frame)
        for _ in batch:
            answer = json.loads(seat.link.recv(timeout=WAIT_S))
            assert answer["eventType"] in {"Error", "Warning", "RoundState", "BalanceUpdate", "Authenticate"}, answer
            assert answer.get("code", "AUTHENTICATION_FAILED") in CODES, answer
        sent += len(batch)
    assert Round.objects.get(player=player).actions.count() == 1
    assert Wallet.objects.get(player=player).balance == 90
    log = shared_server.log_text[start:]
    assert seat.token not in log
    assert "Traceback" not in log


def _mutated(base: str, chance: random.Random) -> str:
    """Return the text with some characters replaced, removed, doubled, or pieces swapped."""
    text = list(base)
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(text))
        match chance.randrange(5):
            case 0:
                text[place] = chr(chance.choice([0, 9, 34, 44, 48, 57, 91, 93, 123, 125, 0x7F, 0xE9, 0x1F0A1]))
            case 1:
                del text[place : place + chance.randint(1, 12)]
            case 2:
                text[place:place] = text[place : place + chance.randint(1, 12)]
            case 3:
                text[place:place] = chance.choice(['"data":null,', "[[", "1e400", "-0.0", "9" * 30, "\\ud800", "true"])
            case 4:
                del text[place:]
        if not text:
            text = list("{")
    return "".join(text)
