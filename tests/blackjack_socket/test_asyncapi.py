"""The AsyncAPI document against the server: valid messages are accepted, all others are refused."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from apps.blackjack.asyncapi import FROM_SERVER
from apps.blackjack.messages import ERROR_CODES
from apps.rounds.documents import asyncapi_document
from tests.support.blackjack import SocketPlayer

GAME = {"gameId": "og-blackjack"}
ACTION = {"eventType": "RoundAction", "eventId": "e", **GAME}
ALLOWED = (
    {"eventType": "Authenticate", "eventId": "e"},
    {"eventType": "Authenticate", "eventId": "e", "data": {}},
    {"eventType": "Authenticate", "eventId": "e", "data": {"dealerPace": "round"}},
    {"eventType": "RoundState", "eventId": "e", **GAME},
    {"eventType": "GetBalance", "eventId": "e", **GAME},
    {"eventType": "GetBalance", "eventId": "e", **GAME, "data": {"currency": "FUN"}},
    ACTION | {"action": "Bet", "data": {"betAmount": 1.5}},
    ACTION | {"action": "Bet", "data": {"betAmount": "1.5", "perfecPairsBetAmount": 1, "pokerBetAmount": "1"}},
    ACTION | {"action": "Peek", "data": {"acceptedInsurance": False}},
    *(ACTION | {"action": name, "data": {}} for name in ("Hit", "Stand", "Double", "Split", "Surrender")),
    ACTION | {"action": "Hit"},
)
REFUSED = (
    {"eventId": "e"},
    {"eventType": "Bet", "eventId": "e", **GAME},
    {"eventType": "Authenticate"},
    {"eventType": "Authenticate", "eventId": ""},
    {"eventType": "Authenticate", "eventId": "x" * 65},
    {"eventType": "Authenticate", "eventId": "a\x00"},
    {"eventType": "Authenticate", "eventId": "e", "data": {"clientSeed": "a b"}},
    {"eventType": "Authenticate", "eventId": "e", "data": {"dealerPace": "cards"}},
    {"eventType": "Authenticate", "eventId": "e", "data": []},
    {"eventType": "RoundState", "eventId": "e"},
    {"eventType": "RoundState", "eventId": "e", "gameId": "og-baccarat"},
    {"eventType": "GetBalance", "eventId": "e", **GAME, "data": {"currency": ""}},
    {"eventType": "GetBalance", "eventId": "e", **GAME, "data": {"currency": 5}},
    ACTION,
    ACTION | {"action": "Fold"},
    ACTION | {"action": "Bet", "data": {"betAmount": True}},
    ACTION | {"action": "Bet", "data": {"betAmount": -1}},
    ACTION | {"action": "Bet", "data": {"betAmount": "1e1"}},
    ACTION | {"action": "Bet", "data": {"betAmount": 1, "pokerBetAmount": {}}},
    ACTION | {"action": "Hit", "data": "now"},
)
OF_THE_FORM = frozenset(
    {"INVALID_EVENT_TYPE", "INVALID_EVENT_INPUTS", "INVALID_GAME_ID", "INVALID_ACTION", "INVALID_PAYLOAD_SCHEMA"}
)


@pytest.fixture(scope="module")
def inbound() -> Draft202012Validator:
    document = asyncapi_document()
    return Draft202012Validator({"$ref": "#/components/schemas/Inbound", "components": document["components"]})


@pytest.mark.parametrize("message", ALLOWED, ids=json.dumps)
def test_a_valid_message_is_accepted(
    seat: SocketPlayer, inbound: Draft202012Validator, message: dict[str, Any]
) -> None:
    inbound.validate(message)
    seat.link.send(json.dumps(message))
    assert seat.receive().get("code") not in OF_THE_FORM


@pytest.mark.parametrize("message", REFUSED, ids=json.dumps)
def test_an_invalid_message_is_refused(
    seat: SocketPlayer, inbound: Draft202012Validator, message: dict[str, Any]
) -> None:
    assert not inbound.is_valid(message)
    seat.link.send(json.dumps(message))
    assert seat.receive()["eventType"] == "Error"


def test_every_message_of_the_server_has_its_event_type() -> None:
    schemas = asyncapi_document()["components"]["schemas"]
    for kind in FROM_SERVER:
        schema = schemas[kind.__name__]
        assert "eventType" in schema["required"], kind
        assert {"const", "enum"} & schema["properties"]["eventType"].keys(), kind


def test_the_document_lists_every_error_code() -> None:
    schemas = asyncapi_document()["components"]["schemas"]
    assert schemas["ErrorMessage"]["properties"]["code"] == {"$ref": "#/components/schemas/ErrorCode"}
    assert schemas["ErrorCode"]["enum"] == sorted(ERROR_CODES)


def test_the_data_of_a_message_has_one_schema_for_each_kind() -> None:
    schemas = asyncapi_document()["components"]["schemas"]
    forms = {
        schemas[option["$ref"].rsplit("/", 1)[1]]["properties"]["data"]["$ref"]
        for option in schemas["Inbound"]["oneOf"]
        if "data" in schemas[option["$ref"].rsplit("/", 1)[1]]["properties"]
    }
    assert {name.rsplit("/", 1)[1] for name in forms} == {
        "AuthenticateData", "GetBalanceData", "BetData", "PeekData", "NoData",
    }  # fmt: skip
