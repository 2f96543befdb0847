"""The embedded default: one machine, plain HTTP, published secrets."""

from casino import env
from casino.settings.base import *  # noqa: F403
from casino.settings.base import STORAGES
from casino.settings.known_secrets import (
    KNOWN_DEMO_PASSWORD,
    KNOWN_SEAL_KEY,
    KNOWN_SECRET_KEY,
    KNOWN_SEED_KEY,
    KNOWN_SIGN_KEY,
)

DEBUG = True
PUNTO_STAFF_FACTOR = env.flag("PUNTO_STAFF_FACTOR", default=False)
PUNTO_TWO_PERSONS = env.flag("PUNTO_TWO_PERSONS", default=False)
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", *env.names("PUNTO_ALLOWED_HOSTS")]
SECRET_KEY = env.text("SECRET_KEY", KNOWN_SECRET_KEY)
PUNTO_SEED_KEY = env.text("PUNTO_SEED_KEY", KNOWN_SEED_KEY)
PUNTO_SEAL_KEY = env.text("PUNTO_SEAL_KEY", KNOWN_SEAL_KEY)
PUNTO_SIGN_KEYS = tuple(env.names("PUNTO_SIGN_KEYS", [KNOWN_SIGN_KEY]))
PUNTO_DEMO_PASSWORD = env.text("PUNTO_DEMO_PASSWORD", KNOWN_DEMO_PASSWORD)

STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
PUNTO_FRAME_LOOPBACK = env.flag("PUNTO_FRAME_LOOPBACK", default=False)
