"""`/v1/player`: balance and seeds of a session's player (docs/protocol.md, "Who may call what")."""

from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from apps.accounts.models import Player, PlayerStatus
from apps.core import json
from apps.fairness.engine import commitment
from apps.fairness.models import SeedPair, SeedStatus
from apps.partners.models import Partner
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import GameSession
from tests.rounds.test_services import round_make
from tests.support.factories import player_make
from tests.support.nonces import nonce_take
from tests.support.partners import Answer

pytestmark = pytest.mark.django_db


@pytest.fixture
def seated() -> tuple[Player, str]:
    """A player with 12.5 FUN and the token of its blackjack session."""
    player = player_make(balance=Decimal("12.50"))
    return player, game_session_open(player=player, game="og-blackjack", currency_code="FUN")[1]


def get(path: str, **query: str) -> Answer:
    return Answer(Client().get(path, query))


def post(path: str, body: object) -> Answer:
    data = body if isinstance(body, bytes) else json.encode(body)
    return Answer(Client().post(path, data, content_type="application/json"))


def refused(answer: Answer, status: int, code: str) -> None:
    """Check that the answer is this refusal and nothing more."""
    assert (answer.status, answer.body["code"]) == (status, code)
    assert set(answer.body) == {"type", "message", "code"}
    assert answer.body["type"] == "Error"
    assert answer.headers["Content-Type"] == "application/json"


def test_the_balance_of_the_session_s_wallet_is_read(seated: tuple[Player, str]) -> None:
    answer = get("/v1/player/balance", game_session_id=seated[1], game_id="og-blackjack")
    assert (answer.status, answer.body) == (200, {"balance": "12.5", "currency": "FUN"})


def test_a_balance_needs_its_parameters_and_its_game(seated: tuple[Player, str]) -> None:
    _, token = seated
    refused(get("/v1/player/balance", game_id="og-blackjack"), 422, "MISSING_QUERY_PARAM")
    refused(get("/v1/player/balance", game_session_id=token), 422, "MISSING_QUERY_PARAM")
    refused(get("/v1/player/balance", game_session_id=token, game_id="og-limbo"), 422, "BAD_REQUEST_PARAMS")
    refused(get("/v1/player/balance", game_session_id=token, game_id="og-baccarat"), 401, "AUTHENTICATION_FAILED")
    refused(get("/v1/player/balance", game_session_id="x", game_id="og-blackjack"), 401, "AUTHENTICATION_FAILED")


def test_a_session_keeps_the_address_of_its_first_request_at_any_path(seated: tuple[Player, str]) -> None:
    player, token = seated
    asked = {"game_id": "og-blackjack", "game_session_id": token}
    for path, query in (
        ("/v1/player/balance", asked),
        (f"/v1/player/seeds/{token}", {}),
        ("/v1/games/configs", asked),
        (f"/v1/games/og-blackjack/rounds/{uuid4()}", asked),
    ):
        GameSession.objects.update(address="")
        for address in ("192.0.2.7", "198.51.100.9"):
            answer = Client().get(path, query, REMOTE_ADDR=address)
            assert answer.status_code in {200, 404}, path
            assert GameSession.objects.get(player=player).address == "192.0.2.7", path


@pytest.mark.parametrize("who", ["player", "partner"])
def test_an_invalid_session_is_refused(seated: tuple[Player, str], who: str) -> None:
    if who == "player":
        Player.objects.update(status=PlayerStatus.BLOCKED)
    else:
        Partner.objects.update(active=False)
    _, token = seated
    refused(get("/v1/player/balance", game_session_id=token, game_id="og-blackjack"), 401, "AUTHENTICATION_FAILED")
    refused(get(f"/v1/player/seeds/{token}"), 401, "AUTHENTICATION_FAILED")
    refused(post(f"/v1/player/seeds/{token}", {"clientSeed": "mine"}), 401, "AUTHENTICATION_FAILED")


def test_seeds_are_shown_as_commitments(seated: tuple[Player, str]) -> None:
    player, token = seated
    nonce_take(player_id=player.pk)
    active = SeedPair.objects.get(player=player, status=SeedStatus.ACTIVE)
    following = SeedPair.objects.get(player=player, status=SeedStatus.NEXT)
    answer = get(f"/v1/player/seeds/{token}")
    assert (answer.status, answer.body) == (
        200,
        {
            "serverSeedHashed": active.commitment,
            "nextServerSeedHashed": following.commitment,
            "clientSeed": active.client_seed,
            "totalBets": 1,
        },
    )


def test_a_new_client_seed_reveals_what_was_committed(seated: tuple[Player, str]) -> None:
    _, token = seated
    before = get(f"/v1/player/seeds/{token}").body
    answer = post(f"/v1/player/seeds/{token}", {"clientSeed": "mine!"})
    assert answer.status == 200
    assert commitment(answer.body.pop("previousServerSeed")) == before["serverSeedHashed"]
    assert answer.body == get(f"/v1/player/seeds/{token}").body
    assert (answer.body["serverSeedHashed"], answer.body["clientSeed"], answer.body["totalBets"]) == (
        before["nextServerSeedHashed"],
        "mine!",
        0,
    )


def test_seeds_cannot_be_changed_while_a_round_is_open(seated: tuple[Player, str]) -> None:
    player, token = seated
    round_make(player, is_open=True)
    refused(post(f"/v1/player/seeds/{token}", {"clientSeed": "mine"}), 409, "CHANGE_SEED_FAILED")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "MALFORMED_BODY"),
        (b"", 422, "BAD_REQUEST_PARAMS"),
        (b"\xff", 400, "MALFORMED_BODY"),
        ([], 422, "BAD_REQUEST_PARAMS"),
        ({}, 422, "BAD_REQUEST_PARAMS"),
        ({"clientSeed": 5}, 422, "BAD_REQUEST_PARAMS"),
        ({"clientSeed": ""}, 422, "BAD_REQUEST_PARAMS"),
        ({"clientSeed": "a b"}, 422, "BAD_REQUEST_PARAMS"),
        ({"clientSeed": "a|b"}, 422, "BAD_REQUEST_PARAMS"),
        ({"clientSeed": "x" * 65}, 422, "BAD_REQUEST_PARAMS"),
        ({"clientSeed": "\u0000"}, 422, "BAD_REQUEST_PARAMS"),
    ],
)
def test_an_invalid_client_seed_is_refused(seated: tuple[Player, str], body: Any, status: int, code: str) -> None:
    refused(post(f"/v1/player/seeds/{seated[1]}", body), status, code)
    assert not SeedPair.objects.filter(status=SeedStatus.REVEALED).exists()


def test_a_wrong_method_is_405_and_an_unknown_url_404() -> None:
    refused(post("/v1/player/balance", {}), 405, "METHOD_NOT_ALLOWED")
    refused(get("/v1/player/nothing"), 404, "NOT_FOUND")
    refused(get("/v1/games/nothing"), 404, "NOT_FOUND")
