"""The author of a change, for histories and the audit, and the check of operators' acts."""

from dataclasses import dataclass

from django.http import HttpRequest

from apps.accounts.models import Role, User
from apps.accounts.selectors import log_in_of
from apps.core.errors import Refused
from apps.core.reasons import reason_require
from apps.partners.models import ApiKey


@dataclass(frozen=True, slots=True)
class Actor:
    """A log-in, an API key, or a part of the platform. `name` is what histories and the audit show."""

    name: str
    user: User | None = None

    @property
    def user_id(self) -> int | None:
        return None if self.user is None else self.user.pk


def actor_of_user(user: User) -> Actor:
    """Return the log-in as an actor."""
    return Actor(user.get_username(), user)


def actor_of_request(request: HttpRequest) -> Actor:
    """Return the log-in of a request to the admin site as an actor."""
    return actor_of_user(log_in_of(request))


def actor_of_key(key: ApiKey) -> Actor:
    """Return the API key as an actor, named by its prefix."""
    return Actor(f"API key {key.prefix}")


def operator_require(operator: User, act: str, *, reason: str) -> str:
    """Return the reason of an operator's act, without spaces around it.

    `act` completes the refusal "only an operator ...". Raises Refused (not an operator), BadRequest (no reason).
    """
    if operator.role != Role.OPERATOR or not operator.is_active:
        raise Refused(f"only an operator {act}")
    return reason_require(reason)
