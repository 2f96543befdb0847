"""Finds changes of policy that no service makes: settings, grants and parameters of PostgreSQL, and play money's terms.

The policy is kept with the time of the last look (`event_watch`). The first look keeps it and records nothing.

Each worker looks in its turn, with its own settings. While some differ, as during an upgrade, the kept settings are
those that an event has told last, until no worker has them any more.
"""

import hashlib
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings

from apps.events.models import EventKind
from apps.events.services import event_record

_SECRET: Final = re.compile("_(KEYS?|SECRET|PASSWORD|TOKEN|SEED|URL)$")
"""The names of settings that hold a secret, and are left out. Limits of requests by key or token end otherwise."""
_PUBLIC: Final = frozenset({"PUNTO_BUILD_KEY"})
"""Settings with such a name that hold no secret."""

_IN_USE_FOR: Final = timedelta(minutes=15)
"""The time after a look for which its settings count as those of a worker that still runs."""
_SEEN: Final = "settings in use"
"""The part of the policy with the time of the last look at each worker's settings, by their digest."""

_GRANTS_SQL: Final = """
    SELECT class.relname, string_agg(
        coalesce(role.rolname, 'public') || ' ' || granted.privilege_type, ', '
        ORDER BY role.rolname, granted.privilege_type
    )
    FROM pg_class AS class CROSS JOIN aclexplode(class.relacl) AS granted
    LEFT JOIN pg_roles AS role ON role.oid = granted.grantee
    WHERE class.relnamespace = 'public'::regnamespace AND granted.grantee <> class.relowner
    GROUP BY class.relname
"""
_PARAMETERS_SQL: Final = """
    SELECT name, setting FROM pg_settings
    WHERE source IN ('configuration file', 'command line', 'global', 'database', 'user', 'database user')
"""
_PLAY_MONEY_SQL: Final = "SELECT code, trim_scale(play_grant)::text FROM currency WHERE is_play"

Policy = dict[str, dict[str, str]]
_KINDS: Final = {
    "settings": EventKind.POLICY_CHANGED,
    "grants": EventKind.POLICY_CHANGED,
    "PostgreSQL parameters": EventKind.POLICY_CHANGED,
    "play money": EventKind.INCENTIVE_CHANGED,
}


def policy_check(cursor: Any, before: Mapping[str, Mapping[str, str]], *, at: datetime) -> Policy:
    """Record the changes since the last look, an event for each part; return the policy to keep until the next."""
    found = _settings()
    seen = {digest: when for digest, when in before.get(_SEEN, {}).items() if _is_in_use(when, at)}
    told = before.get("settings")
    has_several = told is not None and {_digest(told), _digest(found)} <= set(seen)
    now: Policy = {
        _SEEN: seen | {_digest(found): at.isoformat()},
        "settings": dict(told) if told is not None and has_several else found,
        "grants": _pairs(cursor, _GRANTS_SQL),
        "PostgreSQL parameters": _pairs(cursor, _PARAMETERS_SQL),
        "play money": _pairs(cursor, _PLAY_MONEY_SQL),
    }
    for part, kind in _KINDS.items():
        former = before.get(part)
        if former is None or former == now[part]:
            continue
        names = sorted(name for name in {**former, **now[part]} if former.get(name) != now[part].get(name))
        event_record(
            kind=kind,
            component="configuration",
            subject=part,
            reason=f"changed: {', '.join(names)}",
            before={name: former[name] for name in names if name in former},
            after={name: now[part][name] for name in names if name in now[part]},
        )
    return now


def _settings() -> dict[str, str]:
    names = [name for name in dir(settings) if name.startswith("PUNTO_")]
    return {name: str(getattr(settings, name)) for name in names if name in _PUBLIC or not _SECRET.search(name)}


def _is_in_use(when: str, at: datetime) -> bool:
    return abs(at - datetime.fromisoformat(when)) < _IN_USE_FOR


def _digest(values: Mapping[str, str]) -> str:
    return hashlib.sha256(repr(sorted(values.items())).encode()).hexdigest()


def _pairs(cursor: Any, sql: str) -> dict[str, str]:
    cursor.execute(sql)
    return dict(cursor.fetchall())
