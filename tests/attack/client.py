"""HTTP as an attacker sends it, and a recorder of every answer."""

import json
import re
import socket
import time
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from itertools import count
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode
from uuid import uuid4

from casino.settings.waits import WAIT_S

RAW_PATIENCE_S: Final = 0.5
"""Timeout for raw bytes, which may be the beginning of a request only."""
PATIENCE_TURNS: Final = 200
JSON: Final = "application/json"
FORM: Final = "application/x-www-form-urlencoded"

_addresses = count(1)


class NoAnswer(Exception):
    """The connection was refused, or it ended before the whole answer had come."""


class Answer(NamedTuple):
    """The answer to one request."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")

    def json(self) -> Any:
        return json.loads(self.body)


class RecordedAnswer(NamedTuple):
    """One answer: its time, its receiver, what was asked, and the bytes."""

    at: float
    who: str
    asked: bytes
    said: bytes


class Recorder:
    """Records the answers to all clients until `take` returns them."""

    def __init__(self) -> None:
        self._said: list[RecordedAnswer] = []
        self.named: defaultdict[str, set[bytes]] = defaultdict(set)
        """The players that each partner's clients have named in their own requests."""

    def add(self, who: str, asked: bytes, said: bytes) -> None:
        self._said.append(RecordedAnswer(time.time(), who, asked, said))

    def take(self) -> list[RecordedAnswer]:
        """Return what was recorded since the last call."""
        taken, self._said = self._said, []
        return taken


def address_new() -> str:
    """Return an IP address that no other client has."""
    number = next(_addresses)
    return f"198.{18 + number // 62500}.{number // 250 % 250}.{number % 250 + 1}"


class Caller:
    """A client of one person or system. Each call opens a new connection, so a kill between two calls does no harm."""

    def __init__(self, recorder: Recorder, who: str, ports: list[int], bearer: str = "") -> None:
        self.recorder = recorder
        self.who = who
        self.ports = ports
        self.address = address_new()
        self.bearer = bearer
        self._turn = count()

    def at(self, port: int) -> "Caller":
        """Return the same client for one process."""
        return Caller(self.recorder, self.who, [port], self.bearer)

    def call(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Ask once; the processes take turns. Raises NoAnswer."""
        port = self.ports[next(self._turn) % len(self.ports)]
        sent = self._headers() | dict(headers or {})
        link = HTTPConnection("127.0.0.1", port, timeout=WAIT_S)
        try:
            link.request(method, path, body, sent)
            answer = _answer(link.getresponse())
        except (OSError, HTTPException) as error:
            raise NoAnswer(f"{method} {path[:80]}: {type(error).__name__} {error}") from error
        finally:
            link.close()
        self._heard(f"{method} {path} {json.dumps(sent)}\n".encode(errors="replace") + (body or b""), answer)
        return answer

    def get(self, path: str) -> Answer:
        return self.call("GET", path)

    def post(self, path: str, body: object, **headers: str) -> Answer:
        """Send JSON. A header is given as a keyword such as `idempotency_key`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.call("POST", path, json.dumps(body).encode(), {"Content-Type": JSON} | named)

    def post_with_retries(self, path: str, body: object, **headers: str) -> Answer:
        """Post again while the answer is a rate limit, `busy` or `unavailable`."""
        for _ in range(PATIENCE_TURNS):
            try:
                answer = self.post(path, body, **headers)
            except NoAnswer:
                time.sleep(0.05)
                continue
            if not is_retryable(answer):
                return answer
            time.sleep(0.2)
        raise AssertionError(f"{path} is refused again and again")

    def _headers(self) -> dict[str, str]:
        headers = {"X-Forwarded-For": self.address}
        return headers | {"Authorization": f"Bearer {self.bearer}"} if self.bearer else headers

    def _heard(self, asked: bytes, answer: Answer) -> None:
        headers = "\n".join(f"{name}: {value}" for name, value in answer.headers)
        self.recorder.add(self.who, asked, headers.encode(errors="replace") + b"\n\n" + answer.body)


class Browser(Caller):
    """A client that keeps cookies and sends forms as a page does."""

    def __init__(self, recorder: Recorder, who: str, ports: list[int]) -> None:
        super().__init__(recorder, who, ports)
        self.cookies: dict[str, str] = {}

    def at(self, port: int) -> "Browser":
        twin = Browser(self.recorder, self.who, [port])
        twin.cookies = dict(self.cookies)
        return twin

    def log_in(self, username: str, password: str) -> None:
        self.get("/accounts/login/")
        answer = self.send("/accounts/login/", login=username, password=password)
        assert answer.status == 302, f"{username} cannot log in: {answer.status}"

    def send(self, path: str, **fields: str) -> Answer:
        """Post a form with its page's CSRF token; a form of the back office with a new token of its own."""
        if path.startswith("/admin/"):
            fields = {"form_token": uuid4().hex} | fields
        return self.call(
            "POST",
            path,
            urlencode({"csrfmiddlewaretoken": self.cookies.get("csrftoken", ""), **fields}).encode(),
            {"Content-Type": FORM},
        )

    def _headers(self) -> dict[str, str]:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return super()._headers() | ({"Cookie": cookies} if cookies else {})

    def _heard(self, asked: bytes, answer: Answer) -> None:
        super()._heard(asked, answer)
        for name, value in answer.headers:
            if name.lower() == "set-cookie" and (match := re.match(r"([^=]+)=([^;]*)", value)):
                self.cookies[match[1]] = match[2].strip('"')


def is_retryable(answer: Answer) -> bool:
    """Return whether the call may succeed later: a rate limit, `busy`, or the database is unavailable."""
    return answer.status in (429, 503) or (answer.status == 409 and b'"BUSY"' in answer.body)


def raw_answer(port: int, data: bytes) -> tuple[int, bytes]:
    """Send raw bytes; return the status of the first answer and everything received.

    The status is 0 if the server closed the connection or waits for more. A server may close before it has read
    everything.
    """
    came = b""
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT_S) as link:
        with suppress(ConnectionError):
            link.sendall(data)
            link.settimeout(RAW_PATIENCE_S)
        with suppress(OSError):
            while chunk := link.recv(65536):
                came += chunk
    match = re.match(rb"HTTP/1\.[01] ([0-9]{3})", came)
    return int(match[1]) if match else 0, came


def _answer(response: HTTPResponse) -> Answer:
    return Answer(response.status, tuple(response.getheaders()), response.read())
