"""Tests: the database as its owner, passwords hashed fast, mail kept in memory."""

from casino import env
from casino.settings.base import *  # noqa: F403
from casino.settings.base import CACHES, CHANNEL_LAYERS, DATABASE_OWNER_URL, REDIS_URL, STORAGES
from casino.settings.known_secrets import KNOWN_SEAL_KEY, KNOWN_SECRET_KEY, KNOWN_SEED_KEY, KNOWN_SIGN_KEY

ALLOWED_HOSTS = ["localhost", "127.0.0.1", "testserver"]
SECRET_KEY = KNOWN_SECRET_KEY
PUNTO_SEED_KEY = KNOWN_SEED_KEY
PUNTO_SEAL_KEY = KNOWN_SEAL_KEY
PUNTO_SIGN_KEYS = (KNOWN_SIGN_KEY,)

LOCK_TIMEOUT_MS = 25_000

# The owner creates the test databases; a test of what the servers may not do takes the role `punto_app`.
# Servers that tests start have a pool, as under ASGI everywhere: threads come and go there.
# Tests hold locks until others wait for them, which takes its time on a busy machine; a test of giving up sets its own.
DATABASES = {
    "default": env.database(
        DATABASE_OWNER_URL, pool=env.flag("PUNTO_DB_POOL", default=False), lock_timeout_ms=LOCK_TIMEOUT_MS
    ),
}
DATABASE_SUPERUSER_URL = env.text("DATABASE_SUPERUSER_URL")
"""The cluster's superuser: only tests that tamper with the ledger use it."""

# Each of pytest's workers has Redis for itself: its own database for what is kept, its own names for what is sent.
_worker = env.text("PYTEST_XDIST_WORKER", "gw0")
REDIS_URL = env.redis_database(REDIS_URL, int(_worker.removeprefix("gw")))
CACHES = {"default": CACHES["default"] | {"LOCATION": REDIS_URL}}
CHANNEL_LAYERS = {
    "default": CHANNEL_LAYERS["default"] | {"CONFIG": {"hosts": [REDIS_URL], "prefix": f"punto-{_worker}"}},
}

STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
CELERY_TASK_ALWAYS_EAGER = True
CELERY_TASK_EAGER_PROPAGATES = True
