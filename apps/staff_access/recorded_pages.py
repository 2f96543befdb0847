"""Decides which responses of the back office are recorded as accesses of staff: refusals, pages with a person's data,
exports. They are written by services.py.
"""

from http import HTTPStatus
from typing import Final

from django.http import HttpRequest, HttpResponseBase

from apps.core.staff_scope import may_enter
from apps.staff_access.models import AccessKind
from apps.staff_access.services import access_record

FILES: Final = frozenset({"player_file", "accounts_player_change", "accounts_user_change", "wallet_wallet_change"})
"""The names of pages that show a person's data."""
TIMELINES: Final = frozenset({"player", "wallet", "log-in"})
"""The kinds of timelines that show a person's data."""
PRINTED: Final = frozenset({"report_print"})
"""The names of print sheets, which count as exports. Each answer that is a file is an export too, whatever its page is
called."""


def page_access_record(request: HttpRequest, response: HttpResponseBase) -> None:
    """Record the access if the answer is one of these."""
    kind = _kind(request, response)
    if kind is not None and may_enter(request.user):
        access_record(user=request.user, kind=kind, request=request)


def _kind(request: HttpRequest, response: HttpResponseBase) -> AccessKind | None:
    if response.status_code == HTTPStatus.FORBIDDEN:
        return AccessKind.REFUSED
    if response.status_code != HTTPStatus.OK or request.resolver_match is None:
        return None
    name, named = request.resolver_match.url_name or "", request.resolver_match.kwargs
    if response.has_header("Content-Disposition") or name in PRINTED or "_export" in name:
        return AccessKind.EXPORT
    if name in FILES or (name == "timeline" and named["kind"] in TIMELINES):
        return AccessKind.FILE
    return None
