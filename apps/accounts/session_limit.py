"""Limits the sessions that a log-in has at one time: a new one ends the oldest.

Every log-in reads all sessions of its user, and so do the page that lists them and the user's page of the back office,
with several queries for each: with 5,000 of them a log-in took 13 s of a core.
"""

from typing import Any, Final

from allauth.usersessions.models import UserSession

MAX_SESSIONS: Final = 50


def oldest_sessions_end(*, user: Any, **_: Any) -> None:
    """End the oldest sessions, so that the log-in has at most MAX_SESSIONS with its new one: a receiver of Django's
    signal. It is sent before allauth's own, whose receiver reads the sessions and adds the new one."""
    for session in UserSession.objects.filter(user=user).order_by("-pk")[MAX_SESSIONS - 1 :]:
        session.end()
