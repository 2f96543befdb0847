"""Celery's tasks: workers know every scheduled task."""

from celery.schedules import crontab
from django.conf import settings

from casino.celery import app


def test_every_scheduled_task_is_registered_with_workers() -> None:
    app.loader.import_default_modules()
    scheduled = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert {"apps.wallet.tasks.daily_seal_take", "apps.blackjack.tasks.idle_rounds_complete"} <= scheduled
    assert scheduled <= set(app.tasks)


def test_no_task_may_run_for_as_long_as_redis_waits_before_it_gives_the_task_out_again() -> None:
    app.loader.import_default_modules()
    limits = [task.time_limit or app.conf.task_time_limit for task in app.tasks.values()]
    with app.connection_for_read() as connection:
        waits_s = connection.default_channel.visibility_timeout
    assert max(limits) >= 3600
    assert waits_s > max(limits)


def test_a_task_that_takes_longer_the_more_is_played_has_hours() -> None:
    """Killed by its limit it would begin anew for ever, and no later day would be closed or sealed."""
    app.loader.import_default_modules()
    names = ("statistics.tasks.statistics_fold", "wallet.tasks.daily_seal_take", "office.tasks.reports_nightly")
    for name in (*names, "office.tasks.proof_nightly", "office.tasks.ledger_reconcile"):
        assert app.tasks[f"apps.{name}"].time_limit >= 3600, name


def test_every_process_sends_tasks_to_the_broker_of_the_settings() -> None:
    assert app.conf.broker_url == settings.CELERY_BROKER_URL
    assert app.conf.task_ignore_result is True


def test_a_scheduled_task_expires_when_its_successor_is_sent() -> None:
    """While no worker runs, they would pile up in Redis, and all run at its start."""
    for title, entry in app.conf.beat_schedule.items():
        assert entry["options"]["expires"] == _interval_s(entry["schedule"]), title


def _interval_s(schedule: float | crontab) -> float:
    if not isinstance(schedule, crontab):
        return schedule
    return 24 * 3600 / (len(schedule.hour) * len(schedule.minute))
