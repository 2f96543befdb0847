"""The worker's and beat's application. Tasks are found in each app's `tasks`; `casino.apps` sets their schedule."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings.prod")

app = Celery("punto")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
