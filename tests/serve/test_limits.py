"""Limits of sockets, which are the same under both servers."""

import json
import socket
import zlib
from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection

import psutil
import pytest

from apps.accounts.models import Player
from apps.core.socket_limits import MAX_FRAGMENTS, MAX_MESSAGE_BYTES
from casino.bench.wire import BINARY, CLOSE, CONT, PING, PONG, TEXT, Wire, frame_bytes, head_bytes
from casino.settings.waits import WAIT_S
from tests.blackjack_socket.conftest import offered_player
from tests.local.conftest import eventually
from tests.serve.conftest import AHEAD_S, CONNECTS_PER_S, UNAUTHENTICATED
from tests.support.baccarat import BET_PATH
from tests.support.blackjack import session_token
from tests.support.server import Server

MIB = 1 << 20
Connect = Callable[..., Wire]


@pytest.fixture
def player(committed: None) -> Player:
    return offered_player()


@pytest.fixture
def seated(wire: Connect, player: Player) -> Wire:
    """A connection that has authenticated."""
    link = wire(session_token(player))
    link.send(text_frame("Authenticate", "hello"))
    assert said(link)["authenticated"] is True
    return link


def text_frame(event_type: str, event_id: str, **members: object) -> bytes:
    event = {"eventType": event_type, "eventId": event_id, "gameId": "og-blackjack"} | members
    return frame_bytes(TEXT, json.dumps(event).encode())


def said(link: Wire) -> dict[str, object]:
    """Return the next message."""
    message: dict[str, object] = json.loads(next(frame for frame in link.frames() if frame.opcode == TEXT).payload)
    return message


def memory(server: Server) -> int:
    return int(psutil.Process(server.pid).memory_info().rss)


def connections(server: Server) -> int:
    return len([link for link in psutil.Process(server.pid).net_connections("tcp") if link.status == "ESTABLISHED"])


def refusal(wire: Connect, address: str) -> str:
    """Try to connect; return the reason of a refusal, or an empty text."""
    with wire(forwarded=address) as link:
        return "" if link.status == 101 else str(json.loads(link.body())["detail"])


def ended(link: socket.socket) -> bool:
    """Return True when the server has ended the connection."""
    try:
        while link.recv(65536):
            pass
    except ConnectionError:
        pass
    return True


# One message


def test_a_message_of_the_maximum_length_is_answered(seated: Wire) -> None:
    event = {"eventType": "GetBalance", "eventId": "long", "gameId": "og-blackjack", "data": {}}
    seated.send(frame_bytes(TEXT, json.dumps(event).encode().ljust(MAX_MESSAGE_BYTES)))
    assert said(seated)["eventId"] == "long"


def test_a_frame_that_announces_more_ends_the_connection_before_it_is_read(seated: Wire) -> None:
    seated.send(head_bytes(TEXT, MAX_MESSAGE_BYTES + 1))
    assert seated.close_code() == 1009


def test_fragments_that_sum_up_to_more_end_the_connection(seated: Wire) -> None:
    seated.send(frame_bytes(TEXT, b" " * 60_000, final=False))
    seated.send(frame_bytes(CONT, b" " * 5_000, final=False))
    seated.send(head_bytes(CONT, MAX_MESSAGE_BYTES - 65_000 + 1))
    assert seated.close_code() == 1009


def test_a_message_of_too_many_fragments_ends_the_connection(seated: Wire) -> None:
    frames = frame_bytes(TEXT, final=False) + frame_bytes(CONT, final=False) * (MAX_FRAGMENTS + 10)
    seated.send(frames)
    assert seated.close_code() == 1008


def test_invalid_utf_8_ends_the_connection_and_logs_no_error(seated: Wire, limited: Server) -> None:
    start = len(limited.log_text)
    seated.send(frame_bytes(TEXT, b"\xff\xfe"))
    assert seated.close_code() == 1007
    assert "error" not in limited.log_text[start:]


def test_compression_is_never_agreed_on(wire: Connect, player: Player) -> None:
    offer = {"Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"}
    with wire(session_token(player), **offer) as link:
        assert link.status == 101
        assert "sec-websocket-extensions" not in link.headers
        link.send(frame_bytes(TEXT, zlib.compress(b" " * MIB), compressed=True))
        assert link.close_code() == 1002


# Rates of a connection


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(text_frame("GetBalance", "e"), id="messages"),
        pytest.param(frame_bytes(BINARY), id="empty frames"),
        pytest.param(frame_bytes(PONG), id="pongs"),
        pytest.param(frame_bytes(PING, b"x" * 125), id="pings"),
        pytest.param(frame_bytes(TEXT, b" " * MAX_MESSAGE_BYTES), id="long messages"),
    ],
)
def test_a_flood_is_closed_and_no_longer_read(seated: Wire, limited: Server, frame: bytes) -> None:
    start = len(limited.log_text)
    flood = frame * max(1, MIB // len(frame))
    seated.link.setblocking(False)
    sent = 0
    while sent < 64 * MIB:  # the kernel buffers some, but the server reads none, so the flood stops
        try:
            sent += seated.link.send(flood)
        except BlockingIOError:
            break
        except ConnectionError:
            break
    assert sent < 32 * MIB
    seated.link.settimeout(WAIT_S)
    assert seated.close_code() == 1008
    log = limited.log_text[start:]
    assert log.count("socket_flooded") == 1
    assert "Traceback" not in log


def test_pings_at_a_client_s_usual_rate_are_answered(seated: Wire) -> None:
    seated.send(frame_bytes(PING, b"are you there") * 20)
    answers = [frame for _, frame in zip(range(20), seated.frames(), strict=False)]
    assert {(frame.opcode, frame.payload) for frame in answers} == {(PONG, b"are you there")}


def test_a_client_that_does_not_answer_the_close_is_dropped(wire: Connect, limited: Server) -> None:
    link = wire("no-such-session")
    assert said(link)["code"] == "AUTHENTICATION_FAILED"
    assert [frame.close_code for frame in link.frames()] == [
        4000
    ]  # and the end, although the client did not answer the close


def test_a_client_that_does_not_read_is_dropped(seated: Wire, limited: Server) -> None:
    others = connections(limited) - 1
    seated.send(text_frame("GetBalance", "e") * 1000)
    eventually(lambda: connections(limited) <= others)


def test_a_client_that_disconnects_before_its_answers_logs_no_error(seated: Wire, limited: Server) -> None:
    start, others = len(limited.log_text), connections(limited) - 1
    seated.send(text_frame("GetBalance", "e") * 100)
    seated.close()
    eventually(lambda: connections(limited) <= others)
    with closing(HTTPConnection("127.0.0.1", limited.port, timeout=WAIT_S)) as link:
        link.request("GET", "/healthz")
        assert link.getresponse().status == 200
    assert "Traceback" not in limited.log_text[start:]


def test_messages_over_the_rate_are_refused_under_their_own_event_ids(seated: Wire) -> None:
    seated.send(b"".join(text_frame("GetBalance", f"e-{number}") for number in range(200)))
    answers = [said(seated) for _ in range(200)]
    assert [answer["eventId"] for answer in answers] == [f"e-{number}" for number in range(200)]
    refused = [answer for answer in answers if answer.get("code") == "RATE_LIMITED"]
    assert 0 < len(refused) < 200


def test_a_taken_over_connection_answers_nothing_more(wire: Connect, player: Player, limited: Server) -> None:
    token, start = session_token(player), len(limited.log_text)
    first, second = wire(token), wire(token)
    first.send(text_frame("Authenticate", "hello"))
    assert said(first)["authenticated"] is True
    first.send(text_frame("GetBalance", "in-flight") * 200)
    second.send(text_frame("Authenticate", "hello"))
    assert said(second)["authenticated"] is True
    heard = [frame for frame in first.frames() if frame.opcode in {TEXT, CLOSE}]
    assert heard[-1].close_code == 4001
    assert "taken over" in json.loads(heard[-2].payload)["message"]
    assert "Traceback" not in limited.log_text[start:]


# Memory


def test_clients_without_a_session_leak_no_memory(wire: Connect, limited: Server) -> None:
    offer = {"Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"}
    bomb = zlib.compressobj(wbits=-12)
    squeezed = bomb.compress(b" " * (15 * MIB)) + bomb.flush(zlib.Z_SYNC_FLUSH)
    unfinished = frame_bytes(TEXT, b" " * (MAX_MESSAGE_BYTES - 1), final=False)
    before = memory(limited)
    most = before
    for number in range(150):
        link = wire("no-such-session", forwarded=f"203.0.{number}.1", **offer)
        link.send(unfinished if number % 2 else frame_bytes(TEXT, squeezed, final=False, compressed=True))
        most = max(most, memory(limited))
    assert most - before < 48 * MIB
    eventually(lambda: connections(limited) == 0)
    assert memory(limited) - before < 32 * MIB


def test_a_request_that_never_ends_its_headers_is_dropped(limited: Server, committed: None) -> None:
    before = memory(limited)
    with (
        socket.create_connection(("127.0.0.1", limited.port), timeout=WAIT_S) as link,
        pytest.raises(ConnectionError),
    ):
        link.sendall(b"GET / HTTP/1.1\r\nX-Long: " + b"x" * (64 * MIB))
    assert memory(limited) - before < 16 * MIB


# Connections without authentication


def test_a_client_that_does_not_authenticate_in_time_is_closed(wire: Connect, player: Player) -> None:
    link = wire(session_token(player))
    told = said(link)
    assert (told["code"], told["eventId"]) == ("AUTHENTICATION_FAILED", "")
    assert link.close_code() == 4000


def test_an_unfinished_frame_does_not_extend_the_time_to_authenticate(wire: Connect, player: Player) -> None:
    link = wire(session_token(player))
    link.send(head_bytes(TEXT, 60_000) + b" " * 10)
    assert link.close_code() == 4000


def test_a_connection_without_a_request_is_closed(limited: Server, committed: None) -> None:
    with socket.create_connection(("127.0.0.1", limited.port), timeout=WAIT_S) as link:
        link.sendall(b"GET /v1/ws HTTP/1.1\r\nHost: x\r\n")
        assert ended(link)


def test_an_address_has_a_maximum_number_of_unauthenticated_connections(
    wire: Connect, player: Player, address: str
) -> None:
    token = session_token(player)
    waiting = [wire(token) for _ in range(UNAUTHENTICATED)]
    assert {link.status for link in waiting} == {101}
    refused = wire(token)
    assert refused.status == 429
    assert int(refused.headers["retry-after"]) >= 1
    assert json.loads(refused.body())["code"] == "RATE_LIMITED"
    assert wire(token, forwarded=f"{address}0").status == 101  # another IP address
    waiting[0].send(text_frame("Authenticate", "hello"))
    assert said(waiting[0])["authenticated"] is True
    assert wire(token).status == 101  # in the place of the one that has authenticated
    assert wire(token).status == 429
    waiting[1].close()
    eventually(lambda: wire(token).status == 101)


# Addresses


def test_new_connections_are_counted_by_ip_address(wire: Connect, address: str) -> None:
    eventually(lambda: "come back later" in refusal(wire, address))
    with wire(forwarded=f"{address}1") as other:
        assert other.status == 101


def test_a_forged_forwarded_header_does_not_reset_the_count(wire: Connect, player: Player, address: str) -> None:
    token = session_token(player)
    links = [wire(token, forwarded=f"192.0.2.{number}, {address}") for number in range(UNAUTHENTICATED)]
    assert {link.status for link in links} == {101}
    assert wire(token, forwarded=f"192.0.2.200, {address}").status == 429


def test_addresses_of_one_ipv6_network_share_a_limit(wire: Connect, player: Player, address: str) -> None:
    token, network = session_token(player), f"2001:db8:7:{address.split('.')[2]}"
    links = [wire(token, forwarded=f"{network}::{number}") for number in range(UNAUTHENTICATED)]
    assert {link.status for link in links} == {101}
    assert wire(token, forwarded=f"{network}:ffff::1").status == 429
    assert wire(token, forwarded="2001:db8:8:1::1").status == 101


def test_a_connect_without_a_session_counts_as_ten(wire: Connect) -> None:
    statuses = []
    while 429 not in statuses and len(statuses) < CONNECTS_PER_S * AHEAD_S:
        with wire("no-such-session") as link:
            statuses.append(link.status)
            if link.status == 101:
                assert said(link)["code"] == "AUTHENTICATION_FAILED"
    assert statuses[-1] == 429
    assert len(statuses) < CONNECTS_PER_S * AHEAD_S / 4


def test_bets_with_invalid_tokens_are_limited(limited: Server, address: str) -> None:
    def status(forwarded: str) -> int:
        headers = {"Authorization": "Bearer no-such-session", "X-Forwarded-For": forwarded}
        with closing(HTTPConnection("127.0.0.1", limited.port, timeout=WAIT_S)) as link:
            link.request("POST", BET_PATH, '{"game_type": 1, "bet_amount": 1}', headers)
            return int(link.getresponse().status)

    statuses = {status(f"192.0.2.{number % 200}, {address}") for number in range(300)}
    assert statuses == {401, 429}
    assert status(f"{address}2") == 401


def test_a_flood_counts_as_many_new_connections_of_its_address(wire: Connect, seated: Wire, address: str) -> None:
    seated.send(frame_bytes(PING) * 1000)
    assert seated.close_code() == 1008
    tries = range(CONNECTS_PER_S * AHEAD_S // 2)
    assert any("come back later" in refusal(wire, address) for _ in tries)


def test_a_handshake_at_a_path_without_a_socket_is_refused_without_an_error(limited: Server, address: str) -> None:
    start = len(limited.log_text)
    with Wire(limited.port, path="/v1/nothing", headers={"X-Forwarded-For": address}) as link:
        assert link.status == 403
    assert "Traceback" not in limited.log_text[start:]
