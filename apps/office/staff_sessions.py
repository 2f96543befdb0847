"""Ends sessions of staff after idle time and after their longest duration, and demands a second factor."""

from datetime import UTC, datetime
from typing import Any, Final

from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.middleware.csrf import get_token
from django.urls import reverse
from django.views.decorators.http import require_GET

from apps.accounts.selectors import log_in_of
from apps.core.staff_scope import OFFICE_ROLES

SEEN: Final = "office_seen_at"
BEGAN: Final = "office_began_at"
WANTED: Final = "office_wanted"
"""The page that a log-in without a second factor asked for: the page of its new recovery codes leads there."""
NOTED_EVERY_S: Final = 60
"""The precision of SEEN; a write of the session for every page would cost too much."""
POLLED: Final = frozenset({"tables_gametable_live"})
"""The names of pages that a page's script loads again and again: they do not count as activity."""


def session_refuse(request: HttpRequest) -> HttpResponse | None:
    """Return the redirect instead of a page: to the log-in, or to the set-up of a second factor. None if the page may
    be shown."""
    now = _now_s()
    session = request.session
    is_poll = request.resolver_match is not None and request.resolver_match.url_name in POLLED
    seen, began = session.get(SEEN, 0), session.get(BEGAN, 0)
    if now - seen > settings.PUNTO_OFFICE_IDLE_S or now - began > settings.PUNTO_OFFICE_SESSION_S:
        logout(request)
        if is_poll:
            # The script would put the page of the log-in into its own page; this makes the browser load it as a whole.
            return HttpResponse(headers={"HX-Refresh": "true"})
        end_tell(request)
        return redirect_to_login(request.get_full_path(), reverse("account_login"))
    if settings.PUNTO_STAFF_FACTOR and not is_mfa_enabled(log_in_of(request)):
        if request.method == "GET" and not is_poll and request.path != reverse("admin:session"):
            session[WANTED] = request.get_full_path()
        messages.info(request, "The back office needs a second factor: set it up first.")
        return HttpResponseRedirect(reverse("mfa_activate_totp"))
    if now - seen >= NOTED_EVERY_S and not is_poll:
        session[SEEN] = now
    return None


@require_GET
def session_state(request: HttpRequest) -> HttpResponse:
    """Answer an old page whose form is about to be sent: whose session it is now, and the token of its forms."""
    return JsonResponse({"user": str(log_in_of(request).pk), "csrf": get_token(request)})


def end_tell(request: HttpRequest) -> None:
    """Have the page of the log-in say that the session is over, and that a form was not saved."""
    is_form = request.method == "POST" and request.path != reverse("admin:logout")
    lost = ", and what you sent was not saved" if is_form else ""
    messages.info(request, f"Your session in the back office is over{lost}: sign in again.")


def session_begin(*, request: HttpRequest | None, user: Any, **_: Any) -> None:
    """Start the session's times at the log-in of staff: the receiver of Django's signal. If they started at the first
    page, a log-in of days ago could still open one.
    """
    if request is not None and getattr(user, "role", None) in OFFICE_ROLES:
        request.session[BEGAN] = request.session[SEEN] = _now_s()


def _now_s() -> int:
    return int(datetime.now(UTC).timestamp())
