"""The portal's tasks for the worker: each calls one service."""

from celery import shared_task

from apps.portal.guests import guest_close, idle_guest_ids


@shared_task
def idle_guests_close() -> None:
    """Close the guests that have not played for long."""
    for player_id in idle_guest_ids():
        guest_close(player_id=player_id)
