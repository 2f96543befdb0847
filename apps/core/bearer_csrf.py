"""Django's CSRF check, skipped for requests with a bearer token."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponseForbidden
from django.middleware.csrf import CsrfViewMiddleware

from apps.core.api import bearer_of


class BearerCsrfMiddleware(CsrfViewMiddleware):
    """Checks every unsafe request but those with a bearer token, which take precedence over a cookie.

    Another site's page cannot add the header without a preflight, which no address of ours answers.
    """

    def process_view(
        self, request: HttpRequest, callback: Callable[..., Any], callback_args: Any, callback_kwargs: Any
    ) -> HttpResponseForbidden | None:
        if bearer_of(request.headers.get("Authorization", "")) is not None:
            return None
        return super().process_view(request, callback, callback_args, callback_kwargs)
