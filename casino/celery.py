"""The worker's and beat's application. Tasks are found in each app's `tasks`; `casino.apps` sets their schedule."""

import os

from celery import Celery
from celery.signals import worker_ready, worker_shutting_down

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings.prod")

app = Celery("punto")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_ready.connect  # type: ignore[untyped-decorator]
def _started(**_: object) -> None:
    from casino.serve.lifetime import process_tell  # noqa: PLC0415 - Django is set up by now

    process_tell("worker", "start")


@worker_shutting_down.connect  # type: ignore[untyped-decorator]
def _stopping(**_: object) -> None:
    from casino.serve.lifetime import process_tell  # noqa: PLC0415 - as above

    process_tell("worker", "stop")
