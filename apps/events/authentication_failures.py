"""Failed log-ins and refused keys: counted in the cache, and an event at a threshold.

An address writes at most two rows within ten minutes: one for itself, and one for a log-in. So a flood of failures does
not become a flood of events. Without the cache nothing is counted. A log-in of the back office is locked by
apps/staff_access/services.py.
"""

import hashlib
from contextlib import suppress
from typing import Any, Final

import structlog
from django.core.cache import cache
from django.db import transaction
from django.http import HttpRequest
from redis.exceptions import RedisError

from apps.core.client_address import network_of, request_address
from apps.core.count_texts import counted
from apps.core.log_in_names import log_ins_named, name_normalised
from apps.events.models import EventKind
from apps.events.services import event_record
from apps.events.thresholds import ADDRESS, KEYS, LOG_IN, threshold_value

LOG_IN_S: Final = 30 * 60
ADDRESS_S: Final = 10 * 60
UNKNOWN: Final = "an unknown log-in"
_LOG_IN: Final = "events:log-in"
_ADDRESS: Final = "events:address"
_KEYS: Final = "events:keys"

log = structlog.get_logger(__name__)


def login_failed(*, credentials: dict[str, Any], request: HttpRequest | None = None, **_: object) -> None:
    """Receive Django's signal of a failed log-in."""
    name = str(credentials.get("username") or credentials.get("email") or "")
    address = "" if request is None else request_address(request)
    users = log_ins_named(name)
    login_failure_count(log_in=users[0].get_username() if users else None, name=name, address=address)


def factor_failed(*, user: Any, request: HttpRequest | None, **_: object) -> None:
    """Receive allauth's signal of a wrong second factor, which is a failed log-in as well."""
    address = "" if request is None else request_address(request)
    login_failure_count(log_in=user.get_username(), name="", address=address)


def login_failure_count(*, log_in: str | None, name: str, address: str) -> None:
    """Count a failed log-in, and record an event when the log-in or the address reaches its threshold.

    `log_in` is the username of the log-in that the typed `name` means, or None. Its username in any case and its e-mail
    addresses are counted together; a name that means no log-in is counted by itself.
    """
    network = network_of(address) if address else ""
    counted = name_normalised(name) if log_in is None else f"log-in {log_in}"
    with suppress(RedisError):
        of_log_in = _counted(_LOG_IN, counted, LOG_IN_S)
        of_address = _counted(_ADDRESS, network, ADDRESS_S)
        if (
            of_log_in >= threshold_value(LOG_IN)
            and not _is_recorded(_LOG_IN, counted)
            and _first(f"{_LOG_IN}-of", network, ADDRESS_S)
            and _tell(_LOG_IN, counted, LOG_IN_S)
        ):
            subject = UNKNOWN if log_in is None else f"log-in {log_in}"
            _record(EventKind.LOGIN_FAILED, subject, network, of_log_in)
        if of_address >= threshold_value(ADDRESS) and _tell(_ADDRESS, network, ADDRESS_S):
            _record(EventKind.LOGIN_FAILED, f"address {network}", network, of_address)


def key_refusal_count(*, address: str) -> None:
    """Count a refused API key, and record an event when the address reaches its threshold."""
    network = network_of(address)
    with suppress(RedisError):
        count = _counted(_KEYS, network, ADDRESS_S)
        if count >= threshold_value(KEYS) and _tell(_KEYS, network, ADDRESS_S):
            _record(EventKind.AUTHENTICATION_MISMATCH, f"address {network}", network, count)


def _record(kind: EventKind, subject: str, network: str, count: int) -> None:
    with transaction.atomic():
        event_record(
            kind=kind, component="log-in" if kind is EventKind.LOGIN_FAILED else "API keys", subject=subject,
            reason=counted(count, "failure"), after={"address": network, "failures": count},
        )  # fmt: skip


def _counted(what: str, name: str, lasts_s: int) -> int:
    """Count one more, and return the count. `lasts_s` seconds after the first one, the count and `_is_recorded` begin
    anew."""
    key = _key(what, name)
    if not cache.add(key, 1, timeout=lasts_s):
        with suppress(ValueError):  # it expired between the two calls
            return cache.incr(key)
        cache.set(key, 1, timeout=lasts_s)
    cache.delete(_key(f"{what}-told", name))
    return 1


def _is_recorded(what: str, name: str) -> bool:
    """Return whether the event of the running count has been recorded."""
    return cache.get(_key(f"{what}-told", name)) is not None


def _tell(what: str, name: str, lasts_s: int) -> bool:
    """Return True once for each count: a threshold that is lowered may lie below a count that is running."""
    return _first(f"{what}-told", name, lasts_s)


def _first(what: str, name: str, lasts_s: int) -> bool:
    return bool(cache.add(_key(what, name), 1, timeout=lasts_s))


def _key(what: str, name: str) -> str:
    return f"{what}:{hashlib.sha256(name.encode()).hexdigest()}"
