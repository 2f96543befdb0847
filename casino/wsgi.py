"""Pages and HTTP in production, except bets. Django's cost of a request is a tenth of that under ASGI."""

import os
from collections.abc import Iterable
from contextvars import copy_context
from typing import Any, Final

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings.prod")

OF_A_REQUEST: Final = frozenset({
    "REQUEST_METHOD", "SCRIPT_NAME", "PATH_INFO", "QUERY_STRING", "CONTENT_TYPE", "CONTENT_LENGTH", "SERVER_NAME",
    "SERVER_PORT", "SERVER_PROTOCOL", "REMOTE_ADDR", "REMOTE_PORT",
})  # fmt: skip

_pages = get_wsgi_application()

from apps.core.threads import loop_in_thread, loop_share  # noqa: E402


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    """Answer a request without the environment of the process.

    As PEP 3333 says, granian adds that environment, with our secrets, to each request. Code that stores a request would
    store them too: django-allauth writes a request that waits for the password into the browser's session.
    """
    of_it = {name: value for name, value in environ.items() if is_of_a_request(name, value)}
    return copy_context().run(_answer, of_it, start_response)


def _answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    """Answer a request; the loop is shared for the request alone."""
    loop_share(loop_in_thread())
    return _pages(environ, start_response)


def is_of_a_request(name: str, value: object) -> bool:
    """Return whether the value comes from WSGI or a client's header, and not from the environment of the process."""
    if name.startswith("HTTP_"):
        return os.environ.get(name) != value
    return name in OF_A_REQUEST or name.startswith("wsgi.")
