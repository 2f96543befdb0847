"""The usernames that a new log-in of the back office may have."""

from django.conf import settings

from apps.accounts.models import User
from apps.core.errors import Conflict


def username_require_free(username: str) -> None:
    """Raise Conflict if the audit could take the name for another: a log-in has it in any case of letters, or it stands
    for no person. A name that only differs in case would also end its owner's log-in by another spelling.
    """
    found = User.objects.filter(username__iexact=username).values_list("username", flat=True).first()
    if found is not None:
        raise Conflict(f"there is a log-in {found} already", field="username")
    if username.lower() in settings.ACCOUNT_USERNAME_BLACKLIST:
        raise Conflict(f"the audit names acts of no person {username}; choose another name", field="username")
