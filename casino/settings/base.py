"""Settings of every environment. `dev`, `test` and `prod` import them and set the differences."""

from pathlib import Path
from typing import Any

from celery.schedules import crontab
from whitenoise.compress import Compressor

from casino import env
from casino.logs import logging_config, structlog_configure

BASE_DIR = Path(__file__).resolve().parents[2]

DEBUG = False
ALLOWED_HOSTS: list[str] = []
ROOT_URLCONF = "casino.urls"
WSGI_APPLICATION = "casino.wsgi.application"
ASGI_APPLICATION = "casino.asgi.application"
AUTH_USER_MODEL = "accounts.User"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

GAME_APPS = sorted(f"apps.{path.parent.name}" for path in BASE_DIR.glob("apps/*/game.py"))
"""Each folder with a `game.py` is a game (docs/new-game.md)."""

TABLE_EXPLANATION = "apps.tables.explain.TableExplanation"
"""The explanation of rounds at tables for the layers below `apps.tables` (`apps/rounds/registry.py`)."""

ASYNCAPI_PARTS = ["apps.tables.asyncapi.tables_asyncapi"]
"""The functions that add sockets of no single game to the AsyncAPI document (`apps/rounds/documents.py`)."""

OUR_APPS = [
    "apps.core",
    "apps.accounts",
    "apps.partners",
    "apps.events",
    "apps.audit",
    "apps.build",
    "apps.staff_access",
    "apps.idempotency",
    "apps.approvals",
    "apps.scheduled_changes",
    "apps.wallet",
    "apps.fairness",
    "apps.paytables",
    "apps.rounds",
    *GAME_APPS,
    "apps.tables",
    "apps.statistics",
    "apps.evidence",
    "apps.switches",
    "apps.reports",
    "apps.timelines",
    "apps.player_files",
    "apps.search",
    "apps.bundles",
    "apps.office",
    "apps.portal",
]

INSTALLED_APPS = [
    "casino",
    "unfold.apps.BasicAppConfig",  # before the admin, whose templates it replaces
    "unfold.contrib.filters",
    "unfold.contrib.simple_history",
    *OUR_APPS,
    "apps.office.admin_config.OfficeAdminConfig",  # Django's admin, with our site
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "casino.static_files.StaticFileConfig",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "simple_history",
    "django_structlog",
    "csp",
    "channels",
]

MIDDLEWARE = [
    "casino.static_files.StaticFileMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "apps.core.body_limit.BodyLimitMiddleware",  # before anything that reads a body
    "apps.portal.compression.PageCompressionMiddleware",
    "django_structlog.middlewares.RequestMiddleware",
    "casino.content_security_policy.PathCSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "apps.core.bearer_csrf.BearerCsrfMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "simple_history.middleware.HistoryRequestMiddleware",
    "apps.portal.languages.LanguageMiddleware",
    "apps.partners.request_log.ApiKeyLogMiddleware",
    "apps.core.invalid_key_limits.TokenAttemptMiddleware",
    "apps.core.api.RefusalMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# The database, Redis and its users

DATABASE_URL = env.text("DATABASE_URL", "postgresql://punto_app@127.0.0.1/punto")
DATABASE_OWNER_URL = env.text("DATABASE_OWNER_URL", DATABASE_URL)
DATABASES = {
    "default": env.database(
        DATABASE_OWNER_URL if env.flag("PUNTO_AS_OWNER", default=False) else DATABASE_URL,
        pool=env.flag("PUNTO_DB_POOL", default=False),
        client_timeout_s=env.number("PUNTO_DB_CLIENT_TIMEOUT_S", 0) or None,
    ),
}

REDIS_URL = env.text("REDIS_URL", "redis://127.0.0.1:6379/0")
PUNTO_REDIS_PREFIX = env.text("PUNTO_REDIS_PREFIX", "punto")
"""Prefix of all our keys and channels in Redis, which several installations may share."""
CACHES: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "apps.core.redis_cache.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": PUNTO_REDIS_PREFIX,
    },
}
# Delivery is fast and at most once. No code may depend on it; the database has the data.
CHANNEL_LAYERS: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [REDIS_URL], "prefix": PUNTO_REDIS_PREFIX},
    },
}
SESSION_ENGINE = "django.contrib.sessions.backends.cached_db"

CELERY_BROKER_URL = env.broker(REDIS_URL)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_TIME_LIMIT = 300
"""Seconds; a task with a limit of its own has `LONG_TASK_S` (`apps/core/task_limits.py`)."""
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 7 * 3600}
"""After this many seconds Redis gives out a task again that no worker has acknowledged, which happens at its end. No
task may take that long: with an hour, which is the default, a proof of two hours would run twice at once."""
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
_MINUTE, _HOUR, _DAY = 60, 3600, 24 * 3600
CELERY_BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    "seal the day that has ended": {
        "task": "apps.wallet.tasks.daily_seal_take",
        "schedule": crontab(minute=5),
        "options": {"expires": _HOUR},
    },
    "keep reports": {
        "task": "apps.office.tasks.reports_nightly",
        "schedule": crontab(minute=25),
        "options": {"expires": _HOUR},
    },
    "prove everything": {
        "task": "apps.office.tasks.proof_nightly",
        "schedule": crontab(hour=2, minute=40),
        "options": {"expires": _DAY},
    },
    "take house snapshots": {
        "task": "apps.wallet.tasks.house_snapshots_take",
        "schedule": crontab(minute=10),
        "options": {"expires": _HOUR},
    },
    "add to the statistics": {
        "task": "apps.statistics.tasks.statistics_fold",
        "schedule": 30.0,
        "options": {"expires": 30},
    },
    "watch the RTPs": {
        "task": "apps.evidence.tasks.rtp_watch",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "watch the cards": {
        "task": "apps.evidence.tasks.card_watch",
        "schedule": crontab(minute=35),
        "options": {"expires": _HOUR},
    },
    "look for events": {"task": "apps.events.tasks.events_watch", "schedule": 20.0, "options": {"expires": 20}},
    "carry out scheduled changes": {
        "task": "apps.scheduled_changes.tasks.scheduled_changes_carry_out",
        "schedule": 10.0,
        "options": {"expires": 10},
    },
    "notice failing play": {
        "task": "apps.rounds.tasks.play_failing_watch",
        "schedule": 20.0,
        "options": {"expires": 20},
    },
    "add missing pay tables": {
        "task": "apps.rounds.tasks.paytables_add_missing",
        "schedule": crontab(minute="*/10"),
        "options": {"expires": 10 * _MINUTE},
    },
    "add missing pay tables of tables": {
        "task": "apps.tables.tasks.table_paytables_add",
        "schedule": crontab(minute="*/10"),
        "options": {"expires": 10 * _MINUTE},
    },
    "delete old answers": {
        "task": "apps.idempotency.tasks.stored_answers_delete",
        "schedule": crontab(hour=3, minute=20),
        "options": {"expires": _DAY},
    },
    "check the build": {
        "task": "apps.build.tasks.build_check",
        "schedule": crontab(hour=4, minute=0),
        "options": {"expires": _DAY},
    },
    "close idle guests": {
        "task": "apps.portal.tasks.idle_guests_close",
        "schedule": crontab(hour=3, minute=40),
        "options": {"expires": _DAY},
    },
    "delete expired sessions": {
        "task": "apps.accounts.tasks.expired_sessions_delete",
        "schedule": crontab(hour=3, minute=50),
        "options": {"expires": _DAY},
    },
    "see to overdue tables": {
        "task": "apps.tables.tasks.tables_overdue_process",
        "schedule": 2.0,
        "options": {"expires": 2},
    },
    "delete used message ids": {
        "task": "apps.tables.tasks.table_messages_delete",
        "schedule": crontab(hour=3, minute=30),
        "options": {"expires": _DAY},
    },
}
"""Tasks of no game; `casino.apps` adds the games' tasks.

Each expires when its successor is sent. Otherwise they pile up in Redis while no worker runs, and its start would run a
proof for each night of the pause, several at once."""

# People

AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "apps.portal.adapters.AccountAdapter"
ACCOUNT_FORMS = {"login": "apps.portal.forms.LogInForm", "signup": "apps.portal.forms.SignUpForm"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_USERNAME_MIN_LENGTH = 3
ACCOUNT_USERNAME_VALIDATORS = "apps.portal.forms.USERNAME_VALIDATORS"
ACCOUNT_USERNAME_BLACKLIST = ["-", "platform", "command", "manage.py"]
"""What the audit and histories name as the author of an act that no log-in did."""
PASSWORD_RESET_TIMEOUT = 24 * 3600
"""Seconds for which a one-time link to a new password is valid."""
MFA_ADAPTER = "apps.portal.adapters.FactorAdapter"
MFA_FORMS = {
    "authenticate": "apps.portal.adapters.FactorForm",
    "reauthenticate": "apps.portal.adapters.FactorAgainForm",
}
MFA_TOTP_ISSUER = "Punto"
MFA_TOTP_TOLERANCE = 1
"""The tolerance of an authenticator's clock in steps of 30 seconds."""
MFA_ALLOW_UNVERIFIED_EMAIL = True
"""allauth refuses a second factor beside an unverified address, because a person who signed up with a stranger's
address could lock its owner out with it. Addresses are not verified here by default, so the rule would refuse a second
factor to everybody with an address, and staff need one."""
DEFAULT_FROM_EMAIL = env.text("PUNTO_EMAIL_FROM", "Punto <noreply@localhost>")

# Time, language, files

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
USE_I18N = True
LANGUAGES = [
    ("en", "English"),
    ("de", "Deutsch"),
    ("es", "Español"),
    ("fr", "Français"),
    ("pt", "Português"),
    ("ja", "日本語"),
]
"""The languages of players' pages, which a launch may request (docs/translating.md)."""
LOCALE_PATHS = [BASE_DIR / "locale", BASE_DIR / "locale" / "libraries"]
LANGUAGE_COOKIE_NAME = "punto_language"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
PUNTO_TIME_ZONE_COOKIE = "punto_time_zone"
"""The name of the cookie in which a page's script tells the browser's time zone."""

STATIC_URL = "/static/"
# Source maps are for developers' tools, and take most of the time of the compression.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (*Compressor.SKIP_COMPRESS_EXTENSIONS, "map")
WHITENOISE_ALLOW_ALL_ORIGINS = False  # pages of other origins need none of these files
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [path for path in [BASE_DIR / "static"] if path.is_dir()]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "casino.static_files.StaticFileStorage"},
}

# APIs

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["apps.core.api.ExactJSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["apps.core.api.ExactJSONParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "apps.core.api.JSONOnly",
    "DEFAULT_METADATA_CLASS": None,  # the API does not support OPTIONS
    "EXCEPTION_HANDLER": "apps.core.api.exception_handler",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Punto",
    "DESCRIPTION": (
        "The HTTP interface of Punto: games, players, sessions, wallets, reports. Beside the answers of each call there"
        " are 404 for an unknown address, 405 for another method and 500 for a fault of the server, in the error format"
        " of the path. 429 and 503 have `Retry-After` in seconds, and so has 409 with the code `BUSY`."
    ),
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": ["apps.core.openapi.components_add", "apps.rounds.documents.openapi_games_add"],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

# The back office

UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Punto back office",
    "SITE_HEADER": "Punto",
    "SITE_SUBHEADER": "Back office",
    "SITE_SYMBOL": "playing_cards",
    "SHOW_HISTORY": False,
    "SHOW_VIEW_ON_SITE": False,
    "BORDER_RADIUS": "6px",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": "apps.office.site.icon"}],
    "STYLES": ["apps.office.site.colors_stylesheet", "apps.office.site.stylesheet"],
    "DASHBOARD_CALLBACK": "apps.office.dashboard.dashboard",
    "SIDEBAR": {"navigation": "apps.office.navigation.sidebar", "show_search": True, "command_search": True},
    "COMMAND": {"search_callback": "apps.search.palette.palette_search"},
    "COLORS": {
        "primary": {
            "50": "oklch(98% .02 160)",
            "100": "oklch(95% .04 160)",
            "200": "oklch(90% .07 160)",
            "300": "oklch(82% .10 160)",
            "400": "oklch(72% .12 160)",
            "500": "oklch(62% .12 160)",
            "600": "oklch(50% .10 160)",
            "700": "oklch(43% .09 160)",
            "800": "oklch(36% .07 160)",
            "900": "oklch(30% .06 160)",
            "950": "oklch(22% .04 160)",
        },
    },
}

# Security. `casino.content_security_policy` sets the content security policy of each path.

PUNTO_PROXIES = env.number("PUNTO_PROXIES", 0)
"""Number of proxies in front that add to `X-Forwarded-For`; it decides which address is the visitor's."""
PUNTO_SOCKET_ORIGIN = env.text("PUNTO_SOCKET_ORIGIN")
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "connect-src": ["'self'", PUNTO_SOCKET_ORIGIN] if PUNTO_SOCKET_ORIGIN else ["'self'"],
        "object-src": ["'none'"],
        "base-uri": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    },
}
CSRF_FAILURE_VIEW = "apps.core.api.csrf_failure"
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"

PUNTO_TWO_PERSONS = env.flag("PUNTO_TWO_PERSONS", default=True)
"""Whether acts such as large adjustments need a second operator (`apps.approvals`)."""
PUNTO_MANIFEST = env.text("PUNTO_MANIFEST") or str(BASE_DIR / "manifest.json")
"""The manifest that the build is checked against (`apps.build`). A checkout of development has none."""
PUNTO_BUILD_KEY = env.text("PUNTO_BUILD_KEY")
"""The public half of the key that signs manifests."""
PUNTO_STRICT_BUILD = env.flag("PUNTO_STRICT_BUILD", default=False)
"""Whether nothing starts from a build that differs from its manifest or has none."""
PUNTO_STAFF_FACTOR = env.flag("PUNTO_STAFF_FACTOR", default=True)
"""Whether the back office is closed to log-ins without a second factor, except for the page that sets it up."""
PUNTO_OFFICE_IDLE_S = 15 * 60
PUNTO_OFFICE_SESSION_S = 12 * 3600
PUNTO_SINGLE_OPERATOR_LIMIT = 1_000
"""The units of a currency up to which one operator may adjust wallets or void rounds without a second person: for each
act, and for all acts of a kind in a UTC day."""

_limited = env.flag("PUNTO_RATE_LIMITS", default=True)
PUNTO_BETS_PER_S = env.number("PUNTO_BETS_PER_S", 20) if _limited else None
"""A player's bets a second, over all processes in the long run; None: no limit."""
PUNTO_FRAMES_PER_S = 50 if _limited else None
"""A socket's frames a second; None: no limit. A frame above it is refused; a used-up burst of `PUNTO_AHEAD_S` seconds
closes the socket."""
PUNTO_SOCKET_BYTES_PER_S = 65_536
"""A socket's bytes a second, with headers of frames; counted only with a limit of frames."""
PUNTO_PINGS_PER_S = 5
"""A socket's pings a second; counted only with a limit of frames."""
PUNTO_AHEAD_S = 10
"""The burst of a socket, or of the connects of an IP address, in seconds."""
PUNTO_CONNECTS_PER_S = env.number("PUNTO_CONNECTS_PER_S", 20) if _limited else None
"""Sockets that an IP address opens a second in one process; one that was closed for a flood counts as `PUNTO_AHEAD_S`
seconds of them."""
PUNTO_UNAUTHENTICATED_SOCKETS = env.number("PUNTO_UNAUTHENTICATED_SOCKETS", 100) if _limited else None
"""Sockets of an IP address at one time that have not authenticated, in one process; None: no limit."""
PUNTO_AUTHENTICATE_S = env.number("PUNTO_AUTHENTICATE_S", 10)
"""Seconds that a connection has to authenticate."""
PUNTO_REDIS_TIMEOUT_S = 1
"""Seconds that Redis has to answer where a request can do without it: rate limits, figures, advice."""
PUNTO_SOCKET_THREADS = env.number("PUNTO_SOCKET_THREADS", 8)
"""Threads of an ASGI process for blocking database work, each with a connection of its own."""
PUNTO_SOCKET_CONNECTIONS = env.number("PUNTO_SOCKET_CONNECTIONS", 16)
"""Connections of an ASGI process for bets and actions on sockets, which use them on the event loop."""
PUNTO_KEY_REQUESTS_PER_S = 100 if _limited else None
"""A partner key's requests a second; None: no limit."""

PUNTO_ADVICE_PER_S = 5 if _limited else None
"""Requests for advice a second of a player, the page's repeated ones included; None: no limit."""
PUNTO_VERIFICATIONS_PER_S = 20 if _limited else None
"""Verifications a second for one caller; None: no limit."""
PUNTO_GAME_SESSIONS_PER_S = 5 if _limited else None
"""Game sessions opened a second for a player, by the portal and the partner together; None: no limit."""
PUNTO_LAUNCHES_PER_S = 20 if _limited else None
"""Launch links opened a second by an IP address; None: no limit."""
PUNTO_SHARED_PER_S = 10 if _limited else None
"""Pages of shown rounds opened a second by an IP address; None: no limit."""
PUNTO_GUESTS_PER_HOUR = 5 if _limited else None
"""Guests that an IP address may begin to play as within an hour; None: no limit."""
PUNTO_GUEST_IDLE_DAYS = 30
"""Days without a round after which a guest is closed."""
PUNTO_BAD_TOKENS_PER_S = 10 if _limited else None
"""Invalid session ids and keys a second of an IP address, in one process; None: no limit."""
PUNTO_GAME_SESSION_S = 12 * 3600
"""Seconds that a game session lasts."""
PUNTO_LAUNCH_CODE_S = 60
"""Seconds that the code of an embedded table's launch is valid (docs/embedding.md)."""
PUNTO_FRAME_LOOPBACK = False
"""Whether a partner's frame origin may be plain HTTP on this machine; only `dev` and `test` can switch it on."""

PUNTO_TABLE_SESSION_S = env.number("PUNTO_TABLE_SESSION_S", 24 * 3600)
"""Seconds that a session at the tables lasts, and for which it is extended."""
PUNTO_TABLE_IDLE_S = env.number("PUNTO_TABLE_IDLE_S", 30 * 60)
"""Seconds without a message after which a session at the tables ends."""
PUNTO_TABLE_DROP_S = env.number("PUNTO_TABLE_DROP_S", 120)
"""Seconds without a socket after which a session at the tables ends and its seats are freed."""
PUNTO_TABLE_REQUESTS_PER_10_S = 200 if _limited else None
"""A session's calls of the lobby; None: no limit."""
PUNTO_TABLE_TOKENS_PER_MINUTE = 30 if _limited else None
"""Sessions at the tables that a player may open; None: no limit."""
PUNTO_ONE_EXPORT_AT_A_TIME = _limited
"""Whether a log-in may have one export at a time."""
PUNTO_TABLE_EDGES_PER_5_MINUTES = 6 if _limited else None
"""Sets of rules of tables whose unknown house edge the worker is given, of a partner; None: no limit. Each takes a
core for seconds, and the worker's other tasks wait meanwhile."""
PUNTO_TABLES_A_PARTNER = 500
"""A partner's tables that may be open at one time. A page of the portal reads the terms of all of them."""
PUNTO_TABLES_A_PLAYER = 5
"""Tables of a player's own that may be open at one time."""
PUNTO_TABLE_CHAIN = 10_000
"""The number of seeds in a table's chain, which is the number of rounds before a new chain begins."""

PUNTO_DEMO_PASSWORD = env.text("PUNTO_DEMO_PASSWORD")
"""Password of the demo's log-ins; without one `manage.py demo` refuses to run."""
PUNTO_IDLE_ROUND_S = 24 * 3600
"""Seconds without an action after which a round is played out."""

PUNTO_SEAL_FILE = env.text("PUNTO_SEAL_FILE")

# Logs

LOG_LEVEL = env.text("PUNTO_LOG_LEVEL", "INFO")
LOGGING = logging_config(LOG_LEVEL)
structlog_configure()
# One line for each request. It does not have the user, which would cost each request a query.
DJANGO_STRUCTLOG_STATUS_START_LOG_LEVEL = 10
DJANGO_STRUCTLOG_STATUS_4XX_LOG_LEVEL = 20
DJANGO_STRUCTLOG_USER_ID_FIELD = ""
DJANGO_STRUCTLOG_IP_LOGGING_ENABLED = False
DJANGO_STRUCTLOG_CELERY_ENABLED = False
