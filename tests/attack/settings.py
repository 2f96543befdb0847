"""What is attacked: production, with pages that name static files plainly, so that none has to be gathered first."""

from casino.settings.prod import *  # noqa: F403
from casino.settings.prod import STORAGES

STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
WHITENOISE_USE_FINDERS = True
