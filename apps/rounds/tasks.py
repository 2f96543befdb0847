"""Scheduled work of `apps.rounds`."""

from celery import shared_task

from apps.rounds.outage_watch import play_failing_check
from apps.rounds.registry import games


@shared_task
def paytables_add_missing() -> None:
    """Give a pay table to each offer that was saved before there were pay tables."""
    for game in games():
        game.paytables_add_missing()


@shared_task
def play_failing_watch() -> None:
    """Notice when play fails for everybody."""
    play_failing_check()
