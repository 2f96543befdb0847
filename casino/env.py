"""All settings from the environment are read here.

| name | meaning |
| --- | --- |
| `DATABASE_URL` | PostgreSQL as the servers see it: role `punto_app` |
| `DATABASE_OWNER_URL` | the same database as `punto_owner`, for migrations and tests; default `DATABASE_URL` |
| `DATABASE_SUPERUSER_URL` | the same cluster as its superuser; tests of tampering only |
| `REDIS_URL` | Redis: `redis://...` or `unix:///...` |
| `PUNTO_REDIS_PREFIX` | prefix of our keys and channels in Redis, `punto` by default |
| `SECRET_KEY`, `PUNTO_SEED_KEY`, `PUNTO_SEAL_KEY` | secrets: Django's, of seeds and second factors, of seals |
| `PUNTO_SIGN_KEYS` | secrets: Ed25519 keys of the seals' signatures, comma separated; the first one signs |
| `PUNTO_AS_OWNER` | 1: connect as the owner (migrations) |
| `PUNTO_DB_POOL` | 1: a pool of connections for the whole process (ASGI); else one a thread (WSGI, Celery) |
| `PUNTO_DB_CLIENT_TIMEOUT_S` | seconds after which an unanswered statement is given up; servers set it themselves |
| `PUNTO_ALLOWED_HOSTS` | host names served, comma separated |
| `PUNTO_TRUSTED_ORIGINS` | origins whose forms are accepted, comma separated |
| `PUNTO_SOCKET_ORIGIN` | origin of the sockets (`wss://play.example`); empty: that of the page |
| `PUNTO_SOCKET_CONNECTIONS` | connections for sockets' actions and bets with a token: no thread; 16 by default |
| `PUNTO_SOCKET_THREADS` | threads for an ASGI process's other database work, 8 by default |
| `PUNTO_PROXIES` | proxies in front that add to `X-Forwarded-For`, 0 by default; they decide the address of a visitor |
| `PUNTO_HTTPS` | 0: no redirect to HTTPS and no secure cookies, for a try behind plain HTTP |
| `PUNTO_SEAL_FILE` | file that daily seals are appended to, outside the database |
| `PUNTO_MANIFEST` | the release's manifest; `manifest.json` of the checkout by default |
| `PUNTO_BUILD_KEY` | public Ed25519 key that manifests are signed with, 64 hexadecimal digits |
| `PUNTO_STRICT_BUILD` | 1: nothing starts from a build that differs from its manifest or has none |
| `PUNTO_STAFF_FACTOR` | 0: staff need no second factor; 1 by default, 0 in development |
| `PUNTO_TWO_PERSONS` | 0: one operator may do alone what needs two; 1 by default, 0 in development |
| `PUNTO_RATE_LIMITS` | 0: no rate limits of ours (the benchmark) |
| `PUNTO_BETS_PER_S` | bets that a player may place a second, 20 by default |
| `PUNTO_CONNECTS_PER_S` | sockets that an address may open a second, 20 by default, with a burst of ten seconds |
| `PUNTO_UNAUTHENTICATED_SOCKETS` | sockets of an address that have not authenticated at one time, 100 by default |
| `PUNTO_AUTHENTICATE_S` | seconds that a connection may take to authenticate, 10 by default |
| `PUNTO_TABLE_SESSION_S` | seconds that a session at the tables lasts, a day by default |
| `PUNTO_TABLE_IDLE_S` | seconds that it may be without a message, 1800 by default |
| `PUNTO_TABLE_DROP_S` | seconds that it may be without a socket, 120 by default |
| `PYTEST_XDIST_WORKER` | which of pytest's workers this is: `gw0`, ... |
| `PUNTO_TEST_WAIT_S` | seconds that a test waits for an event before it fails, 120 by default |
| `PUNTO_DEMO_PASSWORD` | of the log-ins that `manage.py demo` makes; a default in development alone |
| `PUNTO_FRAME_LOOPBACK` | whether partners' frame origins may be plain HTTP on this machine; not in production |
| `EMAIL_URL`, `PUNTO_EMAIL_FROM` | the mail server, and the sender of mail |
| `PUNTO_LOG_LEVEL` | INFO by default |
"""

import re
from typing import Any
from urllib.parse import urlencode, urlsplit, urlunsplit

import environ
from django.core.exceptions import ImproperlyConfigured
from psycopg.conninfo import conninfo_to_dict

_env = environ.Env()

_SIGN_KEY = re.compile(r"[0-9a-f]{64}")

MIN_SECRET_CHARS = 32
LOCK_TIMEOUT_MS = 3_000
STATEMENT_TIMEOUT_MS = 30_000
STATEMENT_MARGIN_MS = 2_000
CLIENT_TIMEOUT_S = (STATEMENT_TIMEOUT_MS + STATEMENT_MARGIN_MS) // 1_000
POOL_TIMEOUT_S = 3
MAIL_PATIENCE_S = 10

_PLAN_SETTINGS = {
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "enable_memoize": "off",
    "jit": "off",
}
"""PostgreSQL's planner settings for the event loop: a generic plan that reads a few rows by their keys, whatever the
size of the tables. A new plan for each batch would cost more than the batch itself."""

_ASYNCPG_KNOWS = (
    "passfile", "service", "sslmode", "sslcert", "sslkey", "sslpassword", "sslrootcert", "sslcrl", "sslnegotiation",
    "ssl_min_protocol_version", "ssl_max_protocol_version", "target_session_attrs", "krbsrvname",
)  # fmt: skip
"""Parameters of libpq that asyncpg accepts only in a URL."""


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
    """Return a required variable. Raises ImproperlyConfigured with its name."""
    value = text(name)
    if not value:
        raise ImproperlyConfigured(f"{name} is not set: the server does not start without it")
    return value


def secret(name: str, *, defaults: frozenset[str]) -> str:
    """Return a secret. Raises ImproperlyConfigured if it is missing, short or a published default."""
    value = required(name)
    if value in defaults:
        raise ImproperlyConfigured(f"{name} has the default of development: set one of your own")
    if len(value) < MIN_SECRET_CHARS:
        raise ImproperlyConfigured(f"{name} is shorter than {MIN_SECRET_CHARS} characters")
    return value


def sign_keys(name: str, *, defaults: frozenset[str]) -> tuple[str, ...]:
    """Return secrets of 64 hexadecimal digits each. Raises ImproperlyConfigured if there is none, or one has another
    form or is a published default."""
    required(name)
    values = tuple(names(name))
    for value in values:
        if value in defaults:
            raise ImproperlyConfigured(f"{name} has the default of development: set one of your own")
        if not _SIGN_KEY.fullmatch(value):
            raise ImproperlyConfigured(f"{name} has a key that is not 64 hexadecimal digits")
    return values


def database(
    url: str, *, pool: bool = False, timeout_factor: int = 1, client_timeout_s: float | None = None
) -> dict[str, Any]:
    """Return Django's database settings for a libpq URL, which may name a Unix socket (`?host=/folder`).

    With `pool` the process shares a pool of connections, which ASGI needs because its threads are short-lived. Without
    it every thread keeps its own connection. All timeouts are multiplied by `timeout_factor`, but a `connect_timeout`
    of the URL counts as it is. An unanswered statement is given up after `client_timeout_s`, if there is one; it is
    longer than PostgreSQL's own timeout, so that the outcome is usually known. `ASYNCPG` has the arguments of
    `apps.core.postgres_pool` besides Django's HOST, PORT, USER, PASSWORD and NAME.
    """
    try:
        parts = conninfo_to_dict(url)
    except Exception as error:
        raise ImproperlyConfigured("DATABASE_URL is not a PostgreSQL address") from error
    address = {name: str(parts.pop(name, "")) for name in ("dbname", "user", "password", "host", "port", "options")}
    more = {name: str(value) for name, value in parts.items()}
    lock_timeout_ms = LOCK_TIMEOUT_MS * timeout_factor
    statement_timeout_ms = STATEMENT_TIMEOUT_MS * timeout_factor
    # Without one, or with 0, libpq waits as long as the network does, but a player's request must have a timeout.
    connect_timeout_s = float(more.get("connect_timeout", 0)) or POOL_TIMEOUT_S * timeout_factor
    more["connect_timeout"] = f"{connect_timeout_s:g}"
    timeouts = f"-c lock_timeout={lock_timeout_ms} -c statement_timeout={statement_timeout_ms} -c timezone=UTC"
    options: dict[str, Any] = more | {
        "server_side_binding": True,
        "options": f"{address['options']} {timeouts}".lstrip(),
    }
    if pool:
        options["pool"] = {"min_size": 1, "max_size": 20, "timeout": connect_timeout_s}
    return {
        "ENGINE": "apps.core.postgres_backend",
        "NAME": address["dbname"],
        "USER": address["user"],
        "PASSWORD": address["password"],
        "HOST": address["host"],
        "PORT": address["port"],
        "CONN_MAX_AGE": 0 if pool else None,
        # Idle connections break when the database restarts, so a pool checks a connection before it lends it, and a
        # thread checks its own once a request. Bets have connections of their own (ASYNCPG).
        "CONN_HEALTH_CHECKS": True,
        "ATOMIC_REQUESTS": False,
        "OPTIONS": options,
        "CLIENT_TIMEOUT_S": client_timeout_s,
        "ASYNCPG": _asyncpg(
            more, server_options=address["options"], timeout_s=connect_timeout_s, lock_timeout_ms=lock_timeout_ms
        ),
    }


def _asyncpg(more: dict[str, str], *, server_options: str, timeout_s: float, lock_timeout_ms: int) -> dict[str, Any]:
    """Return arguments of `asyncpg.connect` for the parameters of a libpq URL.

    asyncpg passes an unknown parameter to PostgreSQL as a setting, and PostgreSQL then refuses the connection. So
    parameters of libpq alone (`keepalives`, `gssencmode`, `channel_binding`, ...) are left out. Without keepalives
    `command_timeout` finds a silently dead connection.
    """
    # A statement of these connections takes milliseconds, or waits for at most two locks in turn.
    statement_timeout_ms = 2 * lock_timeout_ms + STATEMENT_MARGIN_MS
    settings = {
        "lock_timeout": str(lock_timeout_ms),
        "statement_timeout": str(statement_timeout_ms),
        # A process that is paused during a transaction would hold its locks until it goes on.
        "idle_in_transaction_session_timeout": str(statement_timeout_ms),
        "timezone": "UTC",
    } | _PLAN_SETTINGS
    if server_options:
        settings["options"] = server_options
    if "application_name" in more:
        settings["application_name"] = more["application_name"]
    arguments: dict[str, Any] = {
        "timeout": timeout_s,
        # PostgreSQL's timeout is shorter, so that the outcome is usually known: nothing was written.
        "command_timeout": (statement_timeout_ms + STATEMENT_MARGIN_MS) / 1000,
        "server_settings": settings,
    }
    if more.get("sslrootcert") == "system":
        return arguments | {"ssl": True}
    if known := {name: more[name] for name in _ASYNCPG_KNOWS if name in more}:
        arguments["dsn"] = f"postgresql://?{urlencode(known)}"
    return arguments


def redis_database(url: str, number: int) -> str:
    """Return the address of another numbered database of Redis, at a port or a Unix socket."""
    parts = urlsplit(url)
    if parts.scheme == "unix":
        return f"unix://{parts.path}?db={number}"
    return urlunsplit(parts._replace(path=f"/{number}"))


def broker(redis_url: str) -> str:
    """Return the address in Celery's form, which differs from redis-py's for a Unix socket."""
    return redis_url.replace("unix://", "redis+socket://", 1)


def email(url: str) -> dict[str, Any]:
    """Return Django's mail settings (`EMAIL_HOST`, ...) for a URL such as `smtp+tls://user:secret@host:587`.

    Django itself would wait forever for a mail server that takes a connection and says nothing: each page that sends
    mail would keep a thread, and the RTP watch the worker.
    """
    return {**_env.email_url_config(url), "EMAIL_TIMEOUT": MAIL_PATIENCE_S}
