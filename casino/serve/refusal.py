"""Refusals that a server answers before it calls the application."""

from http import HTTPStatus
from typing import NamedTuple

from apps.core.api import error_headers, refusal_body
from apps.core.errors import DomainError


class Refusal(NamedTuple):
    """An HTTP answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    def last_bytes(self) -> bytes:
        """Return the bytes of the answer, which is the last one of its connection."""
        lines = [f"{name}: {value}" for name, value in self.headers.items()]
        status = f"HTTP/1.1 {self.status} {HTTPStatus(self.status).phrase}"
        return "\r\n".join([status, *lines, "Connection: close", "", ""]).encode("ascii") + self.body


def refusal_of(error: DomainError, target: bytes) -> Refusal:
    """Return the answer in the error format of the path, which may have a query."""
    text, content_type = refusal_body(error, target.partition(b"?")[0].decode("latin-1"))
    headers = {"Content-Type": content_type, "Content-Length": str(len(text)), "X-Content-Type-Options": "nosniff"}
    return Refusal(error.http_status, headers | error_headers(error), text)
