"""Reading log-ins."""

from typing import cast

from django.http import HttpRequest

from apps.accounts.models import User


def log_in_of(request: HttpRequest) -> User:
    """Return the log-in of a request that the admin site has accepted, which always has one."""
    return cast("User", request.user)
