"""The application's close codes reach the client. They are the same under both servers."""

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from casino.settings.waits import WAIT_S
from tests.serve.conftest import AUTHENTICATE_S
from tests.support.server import Server


def close_code(link: ClientConnection) -> int | None:
    """Read until the connection ends; return the code that the server has sent."""
    try:
        while True:
            link.recv(timeout=WAIT_S)
    except ConnectionClosed as ended:
        return None if ended.rcvd is None else ended.rcvd.code


def tables_link(server: Server, address: str) -> ClientConnection:
    url = f"ws://127.0.0.1:{server.port}/ws/tables"
    return connect(url, additional_headers={"X-Forwarded-For": address}, open_timeout=WAIT_S, close_timeout=5)


def test_three_frames_that_are_no_message_close_a_tables_socket_with_1008(
    limited: Server, address: str, committed: None
) -> None:
    with tables_link(limited, address) as link:
        for frame in ("[", "5", b"bytes"):
            link.send(frame)
        assert close_code(link) == 1008


def test_a_tables_socket_without_a_log_in_is_closed_with_1008(limited: Server, address: str, committed: None) -> None:
    assert AUTHENTICATE_S < WAIT_S
    with tables_link(limited, address) as link:
        assert close_code(link) == 1008
