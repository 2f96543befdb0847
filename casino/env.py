"""The environment, read here and nowhere else.

| name | meaning |
| --- | --- |
| `DATABASE_URL` | PostgreSQL as the servers see it: role `punto_app` |
| `DATABASE_OWNER_URL` | the same database as `punto_owner`, for migrations and tests; default `DATABASE_URL` |
| `DATABASE_SUPERUSER_URL` | the same cluster as its superuser; tests of tampering only |
| `REDIS_URL` | Redis: `redis://...` or `unix:///...` |
| `PUNTO_REDIS_PREFIX` | what our keys and channels in Redis begin with, `punto` by default |
| `SECRET_KEY`, `PUNTO_SEED_KEY`, `PUNTO_SEAL_KEY` | secrets: Django's, encryption of seeds, seals of the ledger |
| `PUNTO_AS_OWNER` | 1: connect as the owner (migrations) |
| `PUNTO_DB_POOL` | 1: a pool of connections for the whole process (ASGI); else one a thread (WSGI, Celery) |
| `PUNTO_ALLOWED_HOSTS` | host names served, comma separated |
| `PUNTO_TRUSTED_ORIGINS` | origins whose forms are accepted, comma separated |
| `PUNTO_SOCKET_ORIGIN` | where the sockets are (`wss://play.example`); empty: where the page is |
| `PUNTO_SOCKET_CONNECTIONS` | connections for sockets' actions and bets with a token: no thread; 16 by default |
| `PUNTO_SOCKET_THREADS` | threads for an ASGI process's other database work, 8 by default |
| `PUNTO_PROXIES` | proxies in front that add to `X-Forwarded-For`, 0 by default: which address is the visitor's |
| `PUNTO_HTTPS` | 0: no redirect to HTTPS and no secure cookies, for a try behind plain HTTP |
| `PUNTO_SEAL_FILE` | file that daily seals are appended to, outside the database |
| `PUNTO_RATE_LIMITS` | 0: no rate limits (the benchmark) |
| `PUNTO_CONNECTS_PER_S` | sockets that an address may open a second, 20 by default, ten seconds of them ahead |
| `PUNTO_UNAUTHENTICATED_SOCKETS` | sockets of an address that have not authenticated at one time, 100 by default |
| `PUNTO_AUTHENTICATE_S` | seconds that a connection may take to authenticate, 10 by default |
| `PYTEST_XDIST_WORKER` | which of pytest's workers this is: `gw0`, ... |
| `PUNTO_DEMO_PASSWORD` | of the log-ins that `manage.py demo` makes; a default in development alone |
| `EMAIL_URL`, `PUNTO_EMAIL_FROM` | how mail leaves, and who sends it |
| `PUNTO_LOG_LEVEL` | INFO by default |
"""

from typing import Any
from urllib.parse import urlsplit, urlunsplit

import environ
from django.core.exceptions import ImproperlyConfigured
from psycopg.conninfo import conninfo_to_dict

_env = environ.Env()

MIN_SECRET_CHARS = 32
LOCK_TIMEOUT_MS = 3_000
STATEMENT_TIMEOUT_MS = 30_000
POOL_TIMEOUT_S = 3


def text(name: str, default: str = "") -> str:
    return str(_env.str(name, default=default))


def flag(name: str, *, default: bool) -> bool:
    return bool(_env.bool(name, default=default))


def number(name: str, default: int) -> int:
    return int(_env.int(name, default=default))


def names(name: str, default: list[str] | None = None) -> list[str]:
    """Return a comma separated list."""
    return list(_env.list(name, default=default or []))


def required(name: str) -> str:
    """Return what must be set; raises ImproperlyConfigured that names it."""
    value = text(name)
    if not value:
        raise ImproperlyConfigured(f"{name} is not set: the server does not start without it")
    return value


def secret(name: str, *, defaults: frozenset[str]) -> str:
    """Return a secret of the environment; raises ImproperlyConfigured on a missing, short or default one."""
    value = required(name)
    if value in defaults:
        raise ImproperlyConfigured(f"{name} has the default of development: set one of your own")
    if len(value) < MIN_SECRET_CHARS:
        raise ImproperlyConfigured(f"{name} is shorter than {MIN_SECRET_CHARS} characters")
    return value


def database(url: str, *, pool: bool = False, lock_timeout_ms: int = LOCK_TIMEOUT_MS) -> dict[str, Any]:
    """Return Django's database settings for a libpq URL, a Unix socket's (`?host=/folder`) included.

    With `pool` the process shares a pool of connections, as ASGI needs, where threads come and go;
    without it every thread keeps its own for ever.
    """
    try:
        parts = conninfo_to_dict(url)
    except Exception as error:
        raise ImproperlyConfigured("DATABASE_URL is not a PostgreSQL address") from error
    options: dict[str, Any] = {
        "server_side_binding": True,
        "options": f"-c lock_timeout={lock_timeout_ms} -c statement_timeout={STATEMENT_TIMEOUT_MS} -c timezone=UTC",
    }
    if sslmode := parts.get("sslmode"):
        options["sslmode"] = sslmode
    if pool:
        options["pool"] = {"min_size": 1, "max_size": 20, "timeout": POOL_TIMEOUT_S}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.get("dbname") or "",
        "USER": parts.get("user") or "",
        "PASSWORD": parts.get("password") or "",
        "HOST": parts.get("host") or "",
        "PORT": str(parts.get("port") or ""),
        "CONN_MAX_AGE": 0 if pool else None,
        # A pool holds connections that nobody uses when the database goes away: it looks before it lends one.
        "CONN_HEALTH_CHECKS": pool,
        "ATOMIC_REQUESTS": False,
        "OPTIONS": options,
    }


def redis_database(url: str, number: int) -> str:
    """Return the address of another of Redis's numbered databases, at a port or a Unix socket."""
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return f"unix://{parts.path}?db={number}"
    return urlunsplit(parts._replace(path=f"/{number}"))


def broker(redis_url: str) -> str:
    """Return the address Celery wants: it writes a Unix socket another way than redis-py."""
    return redis_url.replace("unix://", "redis+socket://", 1)


def email(url: str) -> dict[str, Any]:
    """Return Django's mail settings (`EMAIL_HOST`, ...) for a URL such as `smtp+tls://user:secret@host:587`."""
    return dict(_env.email_url_config(url))
