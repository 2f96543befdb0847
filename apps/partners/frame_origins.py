"""Reads and checks the origins of a partner's site: the pages that may show our tables in a frame.

The header that browsers obey is set by apps/portal/frame.py and casino/content_security_policy.py.
"""

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings

from apps.core.errors import BadRequest, shortened

MAX_ORIGINS: Final = 20
FIELD: Final = "frame_origins"
_DEFAULT_PORT: Final = {"https": 443, "http": 80}
_HOST: Final = re.compile(r"(?=.{1,253}\Z)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*")
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1"})


def frame_origins_read(texts: Iterable[str]) -> list[str]:
    """Return the origins in normal form, sorted, each once. Raises BadRequest."""
    origins = sorted({_origin_read(text.strip()) for text in texts})
    if len(origins) > MAX_ORIGINS:
        raise BadRequest(f"{FIELD}: at most {MAX_ORIGINS} origins", field=FIELD)
    return origins


def origin_of(url: str) -> str | None:
    """Return the origin of a URL in normal form; None for an invalid one, and for one that no frame may have.

    Only https is allowed. `PUNTO_FRAME_LOOPBACK` also allows http on this machine.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    scheme, host = parts.scheme, parts.hostname or ""
    is_local = settings.PUNTO_FRAME_LOOPBACK and scheme == "http" and host in _LOOPBACK
    if not (scheme == "https" or is_local) or not _HOST.fullmatch(host) or "@" in parts.netloc:
        return None
    return f"{scheme}://{host}" if port in (None, _DEFAULT_PORT[scheme]) else f"{scheme}://{host}:{port}"


def _origin_read(text: str) -> str:
    origin = origin_of(text)
    if origin is None or text.lower().rstrip("/") not in (origin, f"{origin}:{_DEFAULT_PORT[urlsplit(origin).scheme]}"):
        raise BadRequest(
            f"{FIELD}: {shortened(text)!r} is not an origin such as https://casino.example, without wildcard and path",
            field=FIELD,
        )
    return origin
