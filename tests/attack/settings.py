"""The production settings, but static files keep their names, so that collectstatic is not needed, and the hash of
passwords is quick."""

from casino.settings.prod import *  # noqa: F403
from casino.settings.prod import STORAGES

STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
WHITENOISE_USE_FINDERS = True
PASSWORD_HASHERS = ["tests.attack.hashers.QuickHasher"]
