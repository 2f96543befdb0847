"""Scheduled work of `apps.rounds`."""

from operator import call

from celery import shared_task

from apps.core.each_alone import each_alone
from apps.rounds.outage_watch import play_failing_check
from apps.rounds.registry import games


@shared_task
def paytables_add_missing() -> None:
    """Give a pay table to each offer that was saved before there were pay tables."""
    each_alone((game.paytables_add_missing for game in games()), call, what="missing pay tables")


@shared_task
def play_failing_watch() -> None:
    """Notice when play fails for everybody."""
    play_failing_check()
