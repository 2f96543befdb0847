"""Reading clients' frames and writing the server's: every frame that is no message is refused as documented."""

from decimal import Decimal
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.core import json
from apps.tables.messages import (
    INBOUND_TYPES,
    Authenticate,
    BalanceResponse,
    Capabilities,
    Hello,
    InvalidMessage,
    NotAMessage,
    ProtocolErrorCode,
    UnknownMessage,
    error_body,
    game_body,
    inbound_read,
    outbound_body,
    stamped,
)

ID = "3F2504E0-4F89-41D3-9A0C-0305E82C3301"


def frame(**members: object) -> str:
    return json.encode({"messageId": ID, "timestamp": 1} | members).decode()


def submit(**payload: object) -> str:
    return frame(type="submit_action", gameType="blackjack", tableId="t", payload=payload)


def refusal(text: str | bytes | None) -> InvalidMessage:
    with pytest.raises(InvalidMessage) as caught:
        inbound_read(text)
    return caught.value


def test_a_message_is_read_with_its_id_in_lower_case() -> None:
    message = inbound_read(frame(type="authenticate", token="x", protocolVersion="1.0", more=[1]))
    assert isinstance(message, Authenticate)
    assert (message.message_id, message.token, message.protocol_version) == (ID.lower(), "x", "1.0")


@pytest.mark.parametrize("text", [None, b"{}", "", "[]", "1", "null", '{"type": ', '"x"', "[" * 100_000])
def test_a_frame_that_is_no_json_object_is_refused(text: str | bytes | None) -> None:
    assert isinstance(refusal(text), NotAMessage)


@pytest.mark.parametrize(
    ("members", "field"),
    [
        ({"type": 1}, "type"),
        ({}, "type"),
        ({"type": "balance_query", "messageId": "1"}, "messageId"),
        ({"type": "balance_query", "messageId": "3f2504e0-4f89-11d3-9a0c-0305e82c3301"}, "messageId"),
        ({"type": "balance_query", "messageId": None}, "messageId"),
        ({"type": "balance_query", "timestamp": "1"}, "timestamp"),
        ({"type": "balance_query", "timestamp": -1}, "timestamp"),
        ({"type": "authenticate"}, "token"),
        ({"type": "authenticate", "token": 5}, "token"),
        ({"type": "authenticate", "token": "x" * 257}, "token"),
        ({"type": "reconnect", "token": "x"}, "sessionId"),
        ({"type": "heartbeat", "direction": "up"}, "direction"),
        ({"type": "submit_action", "gameType": "g", "tableId": "t", "payload": []}, "payload"),
        ({"type": "submit_action", "gameType": "g", "tableId": "t", "payload": {}}, "payload.action"),
        ({"type": "submit_action", "gameType": "g", "tableId": "t", "payload": {"action": 1}}, "payload.action"),
        ({"type": "submit_action", "gameType": 1, "tableId": "t", "payload": {"action": "x"}}, "gameType"),
    ],
)
def test_a_field_of_the_wrong_type_is_named(members: dict[str, object], field: str) -> None:
    error = refusal(frame(**members))
    assert (error.field, error.code) == (field, "INVALID_MESSAGE")
    assert field in error.message
    assert error.message_id == ("" if field == "messageId" else ID.lower())


@pytest.mark.parametrize("kind", ["error", "game_error", "hello", "surprise"])
def test_types_of_the_server_and_unknown_ones_are_ignored(kind: str) -> None:
    assert inbound_read(frame(type=kind, code="x")) == UnknownMessage(kind, ID.lower())
    assert inbound_read(json.encode({"type": kind}).decode()) == UnknownMessage(kind, "")


@given(
    kind=st.sampled_from(sorted(INBOUND_TYPES)) | st.text(max_size=9),
    members=st.dictionaries(
        st.sampled_from(["timestamp", "token", "payload", "gameType", "tableId", "direction", "sessionId"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.decimals(allow_nan=False, allow_infinity=False) | st.text(),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
            max_leaves=6,
        ),
    ),
)
def test_any_object_is_read_or_refused(kind: str, members: dict[str, object]) -> None:
    try:
        read: object = inbound_read(frame(type=kind, **members))
    except InvalidMessage as error:
        read = error
    if isinstance(read, InvalidMessage):
        assert (read.code, len(read.message) < 200) == ("INVALID_MESSAGE", True)
    else:
        assert isinstance(read, UnknownMessage) == (kind not in INBOUND_TYPES)


def test_a_message_of_ours_is_stamped_for_each_socket() -> None:
    body = outbound_body(
        Hello(message_id=str(uuid4()), server_id="s", supported_games=["blackjack"], capabilities=Capabilities())
    )
    hello = json.decode_object(stamped(body, sequence=None, timestamp_ms=5))
    assert (hello["type"], hello["timestamp"], hello["protocolVersion"]) == ("hello", 5, "1.0")
    assert "sequence" not in hello
    assert json.decode_object(stamped(body, sequence=7, timestamp_ms=5)) == hello | {"sequence": 7}


def test_amounts_go_out_as_exact_numbers() -> None:
    text = outbound_body(
        BalanceResponse(
            message_id=ID,
            available=Decimal("123456789012.12345678"),
            locked=Decimal("10.00000000"),
            total=Decimal("1E-8"),
            currency="BTC",
        )
    ).decode()
    assert '"available":123456789012.12345678,"locked":10,"total":0.00000001' in text
    payload = {"amount": Decimal("1E+1"), "cards": [{"rank": 1}]}
    state = game_body("game_state_update", message_id=ID, game_type="g", table_id="t", fields={"payload": payload})
    assert b'"payload":{"amount":10,"cards":[{"rank":1}]}' in state


def test_an_error_has_its_code_and_the_related_message() -> None:
    error = json.decode_object(
        stamped(error_body(ProtocolErrorCode.AUTH_REQUIRED, "log in first"), sequence=None, timestamp_ms=1)
    )
    assert (error["type"], error["code"], "relatedMessageId" in error) == ("error", "AUTH_REQUIRED", False)
    related = json.decode_object(error_body(ProtocolErrorCode.DUPLICATE_MESSAGE, "again", related=ID))
    assert related["relatedMessageId"] == ID
