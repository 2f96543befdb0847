"""The worker's and beat's application.

Tasks are found in each app's `tasks`. Their schedule is `CELERY_BEAT_SCHEDULE` (casino/settings/base.py) and `schedule`
of each game (apps/<game>/game.py); `casino.apps` joins them.

However Celery's programs are started, they check the build and PUNTO_SEED_KEY first, and the worker records its start,
drain and stop.
"""

import os

import django
from celery import Celery
from celery.signals import beat_init, worker_init, worker_ready, worker_shutdown, worker_shutting_down
from django.apps import apps

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings.prod")

app = Celery("punto")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect  # type: ignore[untyped-decorator]
def _worker_check(**_: object) -> None:
    _check("worker")


@beat_init.connect  # type: ignore[untyped-decorator]
def _beat_check(**_: object) -> None:
    _check("beat")


@worker_ready.connect  # type: ignore[untyped-decorator]
def _started(**_: object) -> None:
    _event_record("start")


@worker_shutting_down.connect  # type: ignore[untyped-decorator]
def _draining(**_: object) -> None:
    """Record that the worker takes no more tasks, and finishes its present ones."""
    _event_record("drain")


@worker_shutdown.connect  # type: ignore[untyped-decorator]
def _stopped(**_: object) -> None:
    _event_record("stop")


def _check(kind: str) -> None:
    # The worker loads the tasks, and sets Django up, only later. Beat has done so, and its standard error is a logger
    # by now: a second setup would make handlers that write to that logger, and no line would ever come out.
    if not apps.ready:
        django.setup()
    from apps.build.build_start_check import build_start_check  # noqa: PLC0415 - Django is set up only now
    from apps.fairness.seed_key_start_check import seed_key_start_check  # noqa: PLC0415

    build_start_check(kind)
    seed_key_start_check(kind)


def _event_record(what: str) -> None:
    from casino.serve.lifetime import process_event_record  # noqa: PLC0415 - Django is set up by now

    process_event_record("worker", what)
