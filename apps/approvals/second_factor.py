"""When the viewer last showed a second factor."""

from datetime import UTC, datetime
from typing import Final

from allauth.account.authentication import get_authentication_records
from django.contrib.auth.base_user import AbstractBaseUser
from django.http import HttpRequest

FACTOR_NOTE: Final = "Your second factor must not be older than 15 minutes."


def factor_time(request: HttpRequest) -> datetime | None:
    """Return the time of the newest second factor of the browser's session, or None."""
    log_in = request.user if isinstance(request.user, AbstractBaseUser) else None
    times = [record["at"] for record in get_authentication_records(request, log_in) if record.get("method") == "mfa"]
    return datetime.fromtimestamp(max(times), UTC) if times else None
