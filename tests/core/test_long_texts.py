"""No refusal repeats more than 100 characters of a client's text."""

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from apps.accounts.actors import Actor
from apps.rounds.game_sessions import game_session_open
from tests.support.asgi import ask
from tests.support.baccarat_use_cases import baccarat_config_set
from tests.support.blackjack import SocketPlayer, blackjack_offer, session_token, socket_player
from tests.support.factories import player_make
from tests.support.partners import PartnerClient
from tests.support.server import Server

MAX_CHARS = 100
LONG = "Zq" * 2500
INTEGER = "@an integer@"
DECIMAL = "@a decimal@"
"""Stands for a long number in JSON."""
DIGITS = "7" * 2500
ECHOES = ("Zq" * (MAX_CHARS // 2 + 1), "7" * (MAX_CHARS + 1))
KNOWN = {"clientSeed": "punto", "serverSeed": "ab" * 32, "nonce": 0}
TRANSFER = {"player": "p", "currency": "FUN", "amount": "1", "transaction_id": "t"}
LIMITS = {"game_id": "og-blackjack", "currency": "FUN", "min_bet": "1", "max_bet": "2"}


def each_long(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield copies of the body, each with one long value, and one with a long member name."""
    for name in body:
        for value in (LONG, INTEGER, DECIMAL):
            yield body | {name: value}
    yield body | {LONG: LONG}


def encoded(body: object) -> bytes:
    """Return the body as JSON."""
    text = json.dumps(body)
    return text.replace(f'"{INTEGER}"', DIGITS).replace(f'"{DECIMAL}"', f"7.{DIGITS}").encode()


BY_KEY = {
    "/v1/players": list(each_long({"reference": "p", "currency": "FUN"})),
    "/v1/sessions": list(
        each_long({"player": "p", "game_id": "og-blackjack", "currency": "FUN", "return_url": "https://x.example/"})
    ),
    "/v1/wallets/deposit": list(each_long(TRANSFER)),
    "/v1/wallets/withdraw": list(each_long(TRANSFER)),
    "/v1/games/configs": [
        {"data": LONG},
        *({"data": [row]} for row in each_long(LIMITS)),
        {"data": [LIMITS | {"custom_props": {"poker_min_bet": LONG}}]},
        {"data": [LIMITS | {"custom_props": LONG}]},
    ],
    "/api/game/baccarat_config": list(each_long({"bet_min": 1, "bet_max": 2, "decks": 8, "currency": "FUN"})),
    "/api/game/baccarat_odds_config": [
        [row] for row in each_long({"baccarat_config_id": 1, "game_type": "BaccaratGameBetOnPlayer", "odds": 1})
    ],
}  # fmt: skip
BY_ANYBODY = {
    f"/v1/games/{game}/verify": [
        *each_long(KNOWN),
        KNOWN | {"currency": LONG},
        KNOWN | {"rules": LONG},
        KNOWN | {"rules": {LONG: 1}},
        *(
            KNOWN | {"rules": {name: LONG}}
            for name in ("decks", "dealer_hits_soft_17", "surrender", "max_splits", "blackjack_pays", "insurance")
        ),
        KNOWN | {"rules": {"decks": [LONG]}},
        KNOWN | {"actions": [LONG]},
        KNOWN | {"actions": [{"action": LONG}]},
        KNOWN | {"actions": [{"action": "Bet", "data": {"betAmount": LONG}}]},
        KNOWN | {"actions": [{"action": "Peek", "data": {"acceptedInsurance": LONG}}]},
    ]
    for game in ("og-baccarat", "og-blackjack", LONG)
}
QUERIES = [
    *(f"/v1/rounds?{name}={LONG}" for name in ("player", "game", "since", "until", "cursor", "limit", LONG)),
    *(f"/v1/reports/summary?{name}={LONG}" for name in ("first_day", "last_day", "game")),
    f"/v1/wallets/{LONG}",
    f"/v1/{LONG}",
    f"/api/{LONG}",
    f"/v1/games/{LONG}/rounds/{LONG}",
    f"/v1/player/{LONG}",
]


def expect_short(said: str) -> None:
    assert not [echo for echo in ECHOES if echo in said], said[:1000]


@pytest.mark.django_db
@pytest.mark.parametrize("path", BY_KEY)
def test_long_texts_in_a_partner_s_calls_get_short_refusals(path: str) -> None:
    partner = PartnerClient(player_make().partner)
    for number, body in enumerate(BY_KEY[path]):
        expect_short(partner.post(path, encoded(body), idempotency_key=f"k-{number}").bytes.decode())


@pytest.mark.django_db
@pytest.mark.parametrize("path", BY_ANYBODY)
def test_long_texts_in_a_verification_get_short_refusals(path: str, settings: Any) -> None:
    settings.PUNTO_VERIFICATIONS_PER_S = None
    for body in BY_ANYBODY[path]:
        expect_short(Client().post(path, encoded(body), content_type="application/json").content.decode())


@pytest.mark.django_db
def test_long_texts_in_queries_and_headers_get_short_refusals() -> None:
    partner = PartnerClient(player_make().partner)
    for path in QUERIES:
        expect_short(partner.get(path).bytes.decode())
    expect_short(partner.post("/v1/wallets/deposit", TRANSFER, idempotency_key=LONG).bytes.decode())
    expect_short(Client().get("/v1/rounds", headers={"Authorization": f"Bearer {LONG}"}).content.decode())


def test_long_texts_in_a_player_s_calls_get_short_refusals(committed: None, settings: Any) -> None:
    settings.PUNTO_BETS_PER_S = None
    player = player_make(balance=Decimal(100))
    baccarat_config_set(partner=player.partner, actor=Actor("test"), bet_min=Decimal(1), bet_max=Decimal(10))
    _, token = game_session_open(player=player, game="og-baccarat", currency_code="FUN")
    headers = {"Authorization": f"Bearer {token}"}
    slips = [*each_long({"game_type": 1, "bet_amount": 1, "currency": "FUN"}), {"bets": [{"game_type": LONG}]}]
    for slip in slips:
        expect_short(ask("POST", "/api/game/baccarat/bet", encoded(slip), headers).bytes.decode())
    keyed = headers | {"Idempotency-Key": LONG}
    slip = b'{"game_type": 1, "bet_amount": 1}'
    expect_short(ask("POST", "/api/game/baccarat/bet", slip, keyed).bytes.decode())
    for path in (
        f"/v1/player/balance?game_session_id={token}&game_id={LONG}",
        f"/v1/player/seeds/{LONG}",
        f"/v1/games/configs?game_session_id={token}&game_id={LONG}",
        f"/v1/games/{LONG}/rounds/00000000-0000-4000-8000-000000000000?game_session_id={token}",
    ):
        expect_short(Client().get(path).content.decode())
    seed = json.dumps({"clientSeed": LONG})
    expect_short(Client().post(f"/v1/player/seeds/{token}", seed, "application/json").content.decode())


def test_long_texts_in_messages_of_the_socket_get_short_refusals(committed: None, shared_server: Server) -> None:
    player = player_make(balance=Decimal(100))
    blackjack_offer(player.partner)
    with socket_player(shared_server, session_token(player)) as seat:
        base = {"eventType": "RoundAction", "eventId": "e", "gameId": "og-blackjack", "action": "Bet", "data": {}}
        amounts = [LONG, INTEGER, DECIMAL, DIGITS, f"1.{DIGITS}"]
        names = ("betAmount", "perfecPairsBetAmount", "insuranceAmount", LONG)
        data = [{"data": {name: amount}} for name in names for amount in amounts]
        balance = {"eventType": "GetBalance", "data": {"currency": LONG}}
        for event in (*each_long(base), *(base | more for more in data), base | balance):
            seat.link.send(encoded(event).decode())
            expect_short(json.dumps(_answer(seat)))


def _answer(seat: SocketPlayer) -> dict[str, Any]:
    answer = seat.receive()
    if answer["eventType"] == "RoundUpdate" and not answer["data"].get("roundEnded"):
        seat.play_out(answer)  # a bet is still possible
    return answer
