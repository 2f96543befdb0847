"""The log of each API key's last requests.

A line waits in memory until a thread of this process writes it, many lines by one statement. So no request waits for
the log or fails because of it. While the database does not answer, the oldest waiting lines are dropped.
"""

import atexit
import re
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Lock
from typing import Final
from urllib.parse import quote, urlencode

import structlog
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db import Error as DatabaseError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from apps.core.api import error_answered
from apps.core.client_address import request_address
from apps.core.errors import DomainError
from apps.partners.models import ApiKey, ApiKeyRequest

KEPT: Final = 1_000
"""The number of requests of a key that are kept."""
MAX_WAITING: Final = 5_000
BATCH_LINES: Final = 500
SHOWN_PARAMETERS: Final = frozenset(
    {"player", "game", "currency", "since", "until", "cursor", "limit", "first_day", "last_day", "days"}
)
"""The parameters of the partner API. Any other parameter may be a secret in the wrong place, so neither its name nor
its value is kept."""

_METHOD_CHARACTERS: Final = 7
_PATH_CHARACTERS: Final = 300
_FIELD: Final = re.compile(r"[A-Za-z0-9_.]{1,60}")
_KEY: Final = "punto_api_key"
_TRIM_SQL: Final = """
    DELETE FROM api_key_request AS held USING (
        SELECT asked.key_id, (
            SELECT id FROM api_key_request AS each WHERE each.key_id = asked.key_id ORDER BY id DESC OFFSET %s LIMIT 1
        ) AS newest_old
        FROM unnest(%s::bigint[]) AS asked (key_id)
    ) AS edge
    WHERE held.key_id = edge.key_id AND held.id <= edge.newest_old
"""

log = structlog.get_logger(__name__)


class RequestLog:
    """The lines that wait, and the thread that writes them. It starts with the first line of the process."""

    def __init__(self) -> None:
        self.added = 0
        """The lines that this process has added."""
        self._waiting: deque[ApiKeyRequest] = deque(maxlen=MAX_WAITING)
        self._lock = Lock()
        self._is_writing = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="key-requests")
        self._connection: BaseDatabaseWrapper | None = None
        """That of the thread. It outlives the thread, so that the process can close it at its end."""

    def add(self, line: ApiKeyRequest) -> None:
        """Have the line written soon."""
        with self._lock:
            self.added += 1
            self._waiting.append(line)
            if self._is_writing:
                return
            self._is_writing = True
        with suppress(RuntimeError):  # the process is ending
            self._thread.submit(self._write)

    def finish(self) -> None:
        """Return when the lines that were added before are written."""
        self._thread.submit(lambda: None).result()

    def close(self) -> None:
        """Write the lines that wait, and end the thread and its connection, with PostgreSQL's own message."""
        self._thread.shutdown()
        if self._connection is not None:
            self._connection.inc_thread_sharing()
            self._connection.close()

    def _write(self) -> None:
        while lines := self._taken():
            try:
                self._connection = connections[DEFAULT_DB_ALIAS]
                _lost_connection_close()
                _lines_write(lines)
            except Exception as error:  # noqa: BLE001 - whatever it is, the next lines are written
                log.warning("api_key_requests_not_logged", lines=len(lines), error=str(error))
                with suppress(Exception):
                    connection.close()

    def _taken(self) -> list[ApiKeyRequest]:
        with self._lock:
            lines = [self._waiting.popleft() for _ in range(min(BATCH_LINES, len(self._waiting)))]
            self._is_writing = bool(lines)
        return lines


request_log: Final = RequestLog()
atexit.register(request_log.close)


class ApiKeyLogMiddleware:
    """Adds a line for each request whose API key is known, also if the key was refused."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        key: ApiKey | None = getattr(request, _KEY, None)
        if key is not None:
            error = error_answered(response)
            request_log.add(
                ApiKeyRequest(
                    key_id=key.pk,
                    time=timezone.now(),
                    method=(request.method or "")[:_METHOD_CHARACTERS],
                    path=path_shown(request),
                    status=response.status_code,
                    code=None if error is None else error.code,
                    field=None if error is None else field_shown(request, error),
                    address=request_address(request),
                )
            )
        return response


def request_key_note(request: HttpRequest, key: ApiKey) -> None:
    """Note the key of the request, so that the request is logged with its answer."""
    setattr(request, _KEY, key)


def path_shown(request: HttpRequest) -> str:
    """Return the path, percent-encoded, with the parameters of the partner API; others are an ellipsis."""
    path = quote(request.path)
    shown = [(name, value) for name, value in request.GET.items() if name in SHOWN_PARAMETERS]
    query = [urlencode(shown)] if shown else []
    hidden = ["..."] if len(shown) < len(request.GET) else []
    text = f"{path}?{'&'.join(query + hidden)}" if query or hidden else path
    return text if len(text) <= _PATH_CHARACTERS else f"{text[: _PATH_CHARACTERS - 3]}..."


def field_shown(request: HttpRequest, error: DomainError) -> str | None:
    """Return the field that the error names. A name that the client itself has made up is not kept, like the names of
    other parameters."""
    name = error.field or ""
    is_ours = bool(_FIELD.fullmatch(name)) and (name not in request.GET or name in SHOWN_PARAMETERS)
    return name if is_ours else None


def _lost_connection_close() -> None:
    """Close a connection that does not answer any more, such as after a restart of PostgreSQL.

    Django would notice it only at the next statement, whose lines would be lost.
    """
    connection.close_if_unusable_or_obsolete()
    if connection.connection is not None and not connection.is_usable():
        connection.close()


def _lines_write(lines: Sequence[ApiKeyRequest]) -> None:
    """Add the lines, and remove what is older than the last KEPT of their keys."""
    ApiKeyRequest.objects.bulk_create(lines)
    # Another process may be removing the same rows; the rest is removed next time.
    with suppress(DatabaseError), connection.cursor() as cursor:
        cursor.execute(_TRIM_SQL, [KEPT, sorted({line.key_id for line in lines})])
