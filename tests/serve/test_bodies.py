"""Bodies that are too long: each of the three servers refuses them while it reads them, in the error format of the
URL."""

import json
import socket
from contextlib import closing
from http.client import HTTPConnection

import psutil
import pytest

from apps.core.api import MAX_BODY_BYTES
from casino.settings.waits import WAIT_S
from tests.serve.conftest import kinds
from tests.support.server import Server

MIB = 1 << 20

pytestmark = pytest.mark.usefixtures("committed")


ALL_SERVERS = pytest.mark.parametrize("limited", kinds("uvicorn", "daphne", "granian"), indirect=True)


def memory(server: Server) -> int:
    process = psutil.Process(server.pid)
    return sum(one.memory_info().rss for one in (process, *process.children(recursive=True)))


def flood(server: Server, path: str, head: str, body: bytes) -> tuple[int, str]:
    """Send the body repeatedly while the server reads; return the number of bytes it took, and its answer."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S) as link:
        link.sendall(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{head}\r\n\r\n".encode())
        link.settimeout(5)
        sent = 0
        try:
            while sent < 256 * MIB:
                sent += link.send(body)
        except (TimeoutError, ConnectionError):
            pass
        link.settimeout(WAIT_S)
        answer = b""
        try:
            while part := link.recv(65536):
                answer += part
        except ConnectionError:
            pass
        return sent, answer.decode()


PROBLEM = {"type", "title", "status", "detail", "code"}


@pytest.mark.parametrize(
    ("path", "members"),
    [
        ("/api/game/baccarat/bet", {"code", "message"}),
        ("/v1/player/seeds/x", {"type", "message", "code"}),
        ("/v1/players", PROBLEM),
        ("/accounts/login/", None),
    ],
)
@ALL_SERVERS
def test_a_body_that_announces_too_much_is_not_read(limited: Server, path: str, members: set[str] | None) -> None:
    before = memory(limited)
    sent, answer = flood(limited, path, "Content-Length: 1073741824", b"x" * 65536)
    assert sent < 16 * MIB  # the kernel's buffers hold nearly all of it
    assert memory(limited) - before < 16 * MIB
    head, _, body = answer.partition("\r\n\r\n")
    assert head.startswith("HTTP/1.1 400 ")
    assert "the body is longer than 1048576 bytes" in body
    if members is None:
        assert body.startswith("Bad Request: ")
    else:
        said = json.loads(body)
        assert (set(said), said["code"]) == (members, "MALFORMED_BODY")


@pytest.mark.parametrize(
    ("path", "members"),
    [
        ("/api/game/baccarat/bet", {"code", "message"}),
        ("/v1/player/seeds/x", {"type", "message", "code"}),
        ("/v1/players", PROBLEM),
    ],
)
@ALL_SERVERS
def test_a_form_without_a_boundary_is_answered_in_the_format_of_the_path(
    limited: Server, path: str, members: set[str]
) -> None:
    with closing(HTTPConnection("127.0.0.1", limited.port, timeout=WAIT_S)) as link:
        link.request("POST", path, b"--x", {"Content-Type": "multipart/form-data"})
        with link.getresponse() as response:
            assert 400 <= response.status < 500  # the pages' server does not have all calls
            assert set(json.loads(response.read())) == members


@ALL_SERVERS
def test_a_body_without_an_end_is_not_read(limited: Server) -> None:
    before = memory(limited)
    chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    sent, answer = flood(limited, "/v1/players", "Transfer-Encoding: chunked", chunk)
    assert sent < 16 * MIB
    assert memory(limited) - before < 16 * MIB
    assert answer.startswith(
        ("HTTP/1.1 400 ", "HTTP/1.1 401 ")
    )  # WSGI does not support chunked bodies and reads none of it


@pytest.mark.parametrize("chunked", [False, True], ids=["one body", "chunks"])
def test_a_connection_works_after_a_body_that_is_a_little_too_long(limited: Server, chunked: bool) -> None:
    long = b"x" * (MAX_BODY_BYTES + 1)
    headers = {"Transfer-Encoding": "chunked"} if chunked else {}
    with closing(HTTPConnection("127.0.0.1", limited.port, timeout=WAIT_S)) as link:
        link.request("POST", "/v1/players", [long] if chunked else long, headers, encode_chunked=chunked)
        with link.getresponse() as response:
            assert response.status in {400, 401}
            assert set(json.loads(response.read())) == PROBLEM
        link.request("GET", "/healthz")
        assert link.getresponse().status == 200
