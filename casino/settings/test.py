"""Tests: the database as its owner, passwords hashed fast, mail kept in memory."""

from casino import env
from casino.settings.base import *  # noqa: F403
from casino.settings.base import DATABASE_OWNER_URL, STORAGES
from casino.settings.known_secrets import KNOWN_SEAL_KEY, KNOWN_SECRET_KEY, KNOWN_SEED_KEY

ALLOWED_HOSTS = ["localhost", "127.0.0.1", "testserver"]
SECRET_KEY = KNOWN_SECRET_KEY
PUNTO_SEED_KEY = KNOWN_SEED_KEY
PUNTO_SEAL_KEY = KNOWN_SEAL_KEY

# The owner creates the test databases; a test of what the servers may not do takes the role `punto_app`.
DATABASES = {"default": env.database(DATABASE_OWNER_URL)}
DATABASE_SUPERUSER_URL = env.text("DATABASE_SUPERUSER_URL")
"""The cluster's superuser: only tests that tamper with the ledger use it."""

STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
CELERY_TASK_ALWAYS_EAGER = True
CELERY_TASK_EAGER_PROPAGATES = True
