"""Decides which responses of the back office are recorded as staff access: refusals, players' files, exports."""

from http import HTTPStatus
from typing import Final

from django.http import HttpRequest

from apps.core.viewers import may_enter
from apps.staff_access.models import AccessKind
from apps.staff_access.services import access_record

FILES: Final = frozenset({"player_file"})
"""The names of the pages that show a file."""
EXPORTS: Final = frozenset({"tables_tableround_records", "report_print", "round_bundle"})
"""Exports whose names do not say so."""


def access_note(request: HttpRequest, status: int) -> None:
    """Record the access if the answer is one of these."""
    kind = _kind(request, status)
    if kind is not None and may_enter(request.user):
        access_record(user=request.user, kind=kind, request=request)


def _kind(request: HttpRequest, status: int) -> AccessKind | None:
    if status == HTTPStatus.FORBIDDEN:
        return AccessKind.REFUSED
    name = "" if request.resolver_match is None else request.resolver_match.url_name or ""
    if status == HTTPStatus.OK and name in FILES:
        return AccessKind.FILE
    if status == HTTPStatus.OK and (name in EXPORTS or "export" in name):
        return AccessKind.EXPORT
    return None
