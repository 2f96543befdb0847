"""Scheduled work of `apps.evidence`."""

from celery import shared_task

from apps.evidence import services


@shared_task
def rtp_watch() -> None:
    """Look at the evidence of every law, and raise alarms."""
    services.rtp_watch()


@shared_task
def card_watch() -> None:
    """Look at the evidence of the faces of cards, and raise alarms."""
    services.card_watch()
