"""Records the accesses of staff, and locks a log-in after failures. Which pages are recorded: recorded_pages.py.

What a member of staff may see: apps/core/staff_scope.py. What a role may do: apps/core/admin.py.
"""

from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import quote

from django.http import HttpRequest
from django.utils import timezone

from apps.core.client_address import UNKNOWN, request_address
from apps.core.log_in_names import log_ins_named
from apps.core.staff_scope import OFFICE_ROLES
from apps.staff_access.models import AccessKind, StaffAccess

FAILURES: Final = 3
LOCK_LASTS: Final = timedelta(minutes=30)
"""The time during which failures count, and the duration of the lock after them."""

_PAGE_CHARACTERS: Final = 200


def access_record(*, user: Any, kind: AccessKind, request: HttpRequest | None) -> None:
    """Record an access of a log-in of the back office."""
    StaffAccess.objects.create(
        user_id=user.pk,
        username=user.get_username(),
        role=user.role,
        partner_id=user.partner_id,
        kind=kind,
        address=UNKNOWN if request is None else request_address(request),
        page="" if request is None else quote(request.path)[:_PAGE_CHARACTERS],
    )


def staff_named(name: str) -> list[Any]:
    """Return the log-ins of the back office that have this name or e-mail address."""
    return [user for user in log_ins_named(name) if user.role in OFFICE_ROLES]


def log_in_is_locked(user: Any, *, now: datetime | None = None) -> bool:
    """Return whether the log-in is locked: three failures within half an hour lock it for half an hour."""
    last = _last(user, AccessKind.LOCKED, AccessKind.UNLOCKED)
    return last is not None and last.kind == AccessKind.LOCKED and last.ctime > (now or timezone.now()) - LOCK_LASTS


def log_in_failed(user: Any, request: HttpRequest | None) -> None:
    """Record a failure, and lock the log-in with the third one. A locked log-in has no further failures."""
    if log_in_is_locked(user):
        return
    access_record(user=user, kind=AccessKind.FAILED, request=request)
    fresh = StaffAccess.objects.filter(user_id=user.pk, kind=AccessKind.FAILED, ctime__gt=timezone.now() - LOCK_LASTS)
    if (since := _last(user, AccessKind.LOG_IN, AccessKind.LOCKED, AccessKind.UNLOCKED)) is not None:
        fresh = fresh.filter(pk__gt=since.pk)
    if fresh.count() >= FAILURES:
        access_record(user=user, kind=AccessKind.LOCKED, request=request)


def log_in_note(*, request: HttpRequest | None, user: Any, **_: Any) -> None:
    """Record the log-in of staff: the receiver of Django's signal."""
    if getattr(user, "role", None) in OFFICE_ROLES:
        access_record(user=user, kind=AccessKind.LOG_IN, request=request)


def factor_failed_note(*, request: HttpRequest | None, user: Any, **_: Any) -> None:
    """Record a wrong second factor of staff: the receiver of allauth's signal."""
    if getattr(user, "role", None) in OFFICE_ROLES:
        log_in_failed(user, request)


def _last(user: Any, *kinds: AccessKind) -> StaffAccess | None:
    return StaffAccess.objects.filter(user_id=user.pk, kind__in=kinds).order_by("-id").first()
