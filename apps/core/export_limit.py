"""One export of a log-in at a time: an export reads all of a list, and keeps a core busy for its whole length."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, Final, ParamSpec

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponseBase
from django.template.response import SimpleTemplateResponse

from apps.core.errors import RateLimited

HELD_S: Final = 900
"""Seconds after which a log-in may export again, though the server of its last export has not said that it ended."""
RETRY_S: Final = 5

Rest = ParamSpec("Rest")


def one_export_at_a_time(
    view: Callable[Concatenate[HttpRequest, Rest], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, Rest], HttpResponseBase]:
    """Have the view of an export raise RateLimited while another export of the same log-in is made or sent."""

    @wraps(view)
    def limited(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        if not settings.PUNTO_ONE_EXPORT_AT_A_TIME:
            return view(request, *args, **kwargs)
        key = f"export:{request.user.pk or request.session.session_key}"  # a guest has no log-in
        if not cache.add(key, True, HELD_S):
            raise RateLimited(
                "an export of yours is still being sent: ask for this one after it", retry_after_s=RETRY_S
            )
        try:
            response = view(request, *args, **kwargs)
            if isinstance(response, SimpleTemplateResponse):
                response.render()  # a print sheet takes most of its time here
        except BaseException:
            cache.delete(key)
            raise
        if not response.streaming:
            cache.delete(key)
            return response
        end = response.close

        def close() -> None:
            end()
            cache.delete(key)

        response.close = close  # type: ignore[method-assign]  # a server calls it after the last byte, or a lost client
        return response

    return limited
