"""The log-ins that a typed name may mean: by their usernames and e-mail addresses, whatever the case."""

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.db.models import Q


def log_ins_named(name: str) -> list[Any]:
    """Return the log-ins with this username or e-mail address; usually one."""
    if not name or "\0" in name:
        return []
    owners = EmailAddress.objects.filter(email__iexact=name).values("user_id")
    named = Q(username__iexact=name) | Q(email__iexact=name) | Q(pk__in=owners)
    return list(get_user_model()._default_manager.filter(named).order_by("pk"))


def name_normalised(name: str) -> str:
    """Return a typed name in the form in which different spellings of it are the same."""
    return name.strip().casefold()
