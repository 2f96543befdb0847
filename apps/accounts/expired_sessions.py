"""Deletes the sessions of browsers whose time is over.

A browser that does not come back leaves its session behind, and its log-in an entry in the list of sessions, with an IP
address. Nothing reads either again.
"""

from datetime import datetime, timedelta
from typing import Any, Final

from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef, QuerySet

NEW: Final = timedelta(days=1)
"""The age up to which an entry is left alone: a log-in writes it beside the session."""

_DELETED_AT_ONCE: Final = 5_000


def expired_sessions_delete(*, now: datetime) -> int:
    """Delete the sessions that have expired, then the entries of log-ins without a session, a few thousand in each
    statement. Returns the number of both."""
    deleted = _delete(Session.objects.filter(expire_date__lt=now))
    is_there = Exists(Session.objects.filter(pk=OuterRef("session_key")))
    return deleted + _delete(UserSession.objects.filter(~is_there, created_at__lt=now - NEW))


def _delete(rows: "QuerySet[Any]") -> int:
    deleted = 0
    while keys := list(rows.values_list("pk", flat=True)[:_DELETED_AT_ONCE]):
        deleted += rows.model._default_manager.filter(pk__in=keys).delete()[0]
    return deleted
