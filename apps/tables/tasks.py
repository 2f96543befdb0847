"""What the worker does for tables: each task calls one service."""

from celery import shared_task

from apps.core.threads import in_loop
from apps.tables.deadlines import deadlines_fire
from apps.tables.sessions import used_messages_delete
from apps.tables.socket_hub import sessions_sweep


@shared_task
def tables_overdue_see_to() -> None:
    """Fire deadlines that no process with sockets has fired, and see to sessions whose process or time is over."""
    in_loop(_overdue_see_to())


@shared_task
def table_messages_delete() -> None:
    """Delete the ids of messages of sessions that are over."""
    used_messages_delete()


async def _overdue_see_to() -> None:
    await deadlines_fire()
    await sessions_sweep()
