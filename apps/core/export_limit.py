"""One export of a log-in or player at a time: an export reads all of a list, and keeps a core busy for its whole
length."""

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec
from uuid import uuid4

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponseBase
from django.template.response import SimpleTemplateResponse
from redis.exceptions import RedisError

from apps.core.errors import RateLimited

MADE_S: Final = 900
"""Seconds after which the next export may begin, though the server of the last one has not said that it is made."""
SENT_S: Final = 30
"""Seconds after which the next export may begin, though no part of the last one was sent and nobody has said that it
ended: the server was killed, or its client went away before the first part."""
RENEWED_S: Final = 10
RETRY_S: Final = 5

Rest = ParamSpec("Rest")


def one_export_at_a_time(
    view: Callable[Concatenate[HttpRequest, Rest], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, Rest], HttpResponseBase]:
    """Have the view of an export raise RateLimited while another export of the same log-in is made or sent."""

    @wraps(view)
    def limited(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        return export_make(f"log-in:{request.user.pk}", lambda: view(request, *args, **kwargs))

    return limited


def export_make(who: str, make: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """Return the export that `make` makes. Raises RateLimited while another one of `who` is made or sent."""
    if not settings.PUNTO_ONE_EXPORT_AT_A_TIME:
        return make()
    claim = _Claim(who)
    if not claim.take():
        raise RateLimited("an export of yours is still being sent: ask for this one after it", retry_after_s=RETRY_S)
    try:
        response = make()
        if isinstance(response, SimpleTemplateResponse):
            response.render()  # a print sheet takes most of its time here
    except BaseException:
        claim.end()
        raise
    if response.streaming:
        _stream_limit(response, claim)
    else:
        claim.end()
    return response


class _Claim:
    """The one export of a log-in or player. Without Redis none begins, and those that have begun go on."""

    def __init__(self, who: str) -> None:
        self._key = f"export:{who}"
        self._id = uuid4().hex
        """Tells it from a later export, which may have begun after this one had seemed to be over."""
        self._renewed_at = 0.0

    def take(self) -> bool:
        return cache.add(self._key, self._id, MADE_S)

    @property
    def is_old(self) -> bool:
        return time.monotonic() - self._renewed_at >= RENEWED_S

    def renew(self) -> None:
        with suppress(RedisError):
            if cache.get(self._key) in (None, self._id):
                cache.set(self._key, self._id, SENT_S)
        self._renewed_at = time.monotonic()

    def end(self) -> None:
        with suppress(RedisError):
            if cache.get(self._key) == self._id:
                cache.delete(self._key)


def _stream_limit(response: Any, claim: _Claim) -> None:
    """Hold the claim while the response is sent."""
    claim.renew()
    parts = response.streaming_content
    response.streaming_content = _async_renewing(parts, claim) if response.is_async else _renewing(parts, claim)
    end = response.close

    def close() -> None:
        try:
            end()
        finally:
            claim.end()

    response.close = close  # a server calls it after the last byte, or when the client is lost in mid-stream


def _renewing(parts: Iterator[bytes], claim: _Claim) -> Iterator[bytes]:
    for part in parts:
        if claim.is_old:
            claim.renew()
        yield part


async def _async_renewing(parts: AsyncIterator[bytes], claim: _Claim) -> AsyncIterator[bytes]:
    async for part in parts:
        if claim.is_old:
            await sync_to_async(claim.renew)()
        yield part
