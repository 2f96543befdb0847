"""Checks that an answer is documented (docs/protocol.md, "Errors")."""

import re
from collections.abc import Iterator
from typing import Final

from tests.attack.client import Answer
from tests.attack.values import ECHO

DOCUMENTED: Final = frozenset({200, 201, 400, 401, 403, 404, 405, 409, 422, 429})
OF_PAGES: Final = DOCUMENTED | {301, 302, 304}
OF_SERVERS: Final = frozenset({0, 408, 411, 413, 414, 417, 421, 431, 501, 505})
"""Statuses that answer malformed requests. 0 means that the server closed the connection."""
CODE: Final = re.compile(r"[A-Z]+(_[A-Z]+)*")
INSIDE: Final = (b"Traceback (most recent call last)", b"DEBUG = True", b"django.db.utils", b"psycopg.errors")


def is_for_programs(path: str) -> bool:
    return bool(re.match(r"/v1(/|\?|$)|/api/[^?]", path)) and not path.startswith(("/api/schema", "/api/asyncapi"))


def answer_faults(method: str, path: str, answer: Answer) -> Iterator[str]:
    """Yield each fault of the answer to a well-formed request."""
    known = DOCUMENTED if is_for_programs(path) else OF_PAGES
    if answer.status not in known:
        yield f"{answer.status}, which is undocumented"
    for inside in INSIDE:
        if inside in answer.body:
            yield f"it tells {inside.decode()}"
    if answer.status >= 400 and ECHO.encode() in answer.body:
        yield "it repeats more than 100 characters"
    if answer.status >= 400 and is_for_programs(path) and method != "HEAD":
        yield from _form_faults(path, answer)


def _form_faults(path: str, answer: Answer) -> Iterator[str]:
    """Yield each fault in the form of a refusal."""
    try:
        body = answer.json()
    except ValueError:
        yield f"{answer.status} is not JSON: {answer.text[:80]!r}"
        return
    if not isinstance(body, dict):
        yield f"{answer.status} is no object"
        return
    members = {"code", "message"}
    if re.match(r"/v1/(games|player)(/|\?|$)", path):
        members = {"type", "message", "code"}
    elif path.startswith("/v1"):
        members = {"type", "title", "status", "detail", "code"}
    if not members <= body.keys() <= members | {"field"}:
        yield f"{answer.status} has the members {sorted(body)}"
    if not CODE.fullmatch(str(body.get("code"))):
        yield f"{answer.status} has the code {body.get('code')!r}"
    if answer.status == 429 and not answer.header("Retry-After").isdigit():
        yield "429 has no Retry-After"
