"""Tests: the database as its owner, passwords hashed fast, mail kept in memory."""

from casino import env
from casino.settings.base import *  # noqa: F403
from casino.settings.base import CACHES, CHANNEL_LAYERS, DATABASE_OWNER_URL, REDIS_URL, STORAGES
from casino.settings.known_secrets import KNOWN_SEAL_KEY, KNOWN_SECRET_KEY, KNOWN_SEED_KEY, KNOWN_SIGN_KEY
from casino.settings.waits import WAIT_S

ALLOWED_HOSTS = ["localhost", "127.0.0.1", "testserver"]
PUNTO_STAFF_FACTOR = False  # as in development
PUNTO_TWO_PERSONS = False  # tests of approvals switch it on
SECRET_KEY = KNOWN_SECRET_KEY
PUNTO_SEED_KEY = KNOWN_SEED_KEY
PUNTO_SEAL_KEY = KNOWN_SEAL_KEY
PUNTO_SIGN_KEYS = (KNOWN_SIGN_KEY,)

# The owner creates the test databases; tests then take the servers' role `punto_app`. Servers that tests start have a
# pool, as every ASGI process does, since its threads are short-lived. On a busy machine a connection or a lock may take
# long. A test of a timeout sets its own.
DATABASES = {
    "default": env.database(
        DATABASE_OWNER_URL,
        pool=env.flag("PUNTO_DB_POOL", default=False),
        client_timeout_s=env.number("PUNTO_DB_CLIENT_TIMEOUT_S", 0) or None,
        timeout_factor=max(1, WAIT_S // env.POOL_TIMEOUT_S),
    ),
}
DATABASE_SUPERUSER_URL = env.text("DATABASE_SUPERUSER_URL")
"""The cluster's superuser, only for tests that alter rows."""

# Each worker of pytest has its own database of Redis for keys, and its own prefix for channels.
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
# A proof hashes each chain from its end, and the generated attack proves about a thousand times.
PUNTO_TABLE_CHAIN = 400
# Off, since a response whose content a test does not read is not closed.
PUNTO_ONE_EXPORT_AT_A_TIME = env.flag("PUNTO_ONE_EXPORT_AT_A_TIME", default=False)
PUNTO_TABLE_EDGES_PER_5_MINUTES = None  # all tests together ask for more
PUNTO_AUTHENTICATE_S = env.number("PUNTO_AUTHENTICATE_S", WAIT_S)
PUNTO_REDIS_TIMEOUT_S = WAIT_S
PUNTO_FRAME_LOOPBACK = env.flag("PUNTO_FRAME_LOOPBACK", default=False)
