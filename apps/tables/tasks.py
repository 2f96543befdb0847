"""The worker's tasks for tables: each calls one service."""

import structlog
from celery import shared_task

from apps.core.errors import Unavailable
from apps.core.threads import in_loop
from apps.tables.deadlines import deadlines_fire
from apps.tables.paytables import table_paytables_add_missing
from apps.tables.session_sockets import sessions_sweep
from apps.tables.sessions import used_messages_delete

logger = structlog.get_logger(__name__)


@shared_task
def tables_overdue_process() -> None:
    """Fire overdue deadlines, and sweep the sessions of dead processes and those whose time is over."""
    try:
        in_loop(_overdue_process())
    except Unavailable as error:  # the next run, two seconds later, fires it
        logger.warning("tables_overdue_not_processed", error=error.code)


@shared_task
def table_messages_delete() -> None:
    """Delete the message ids of finished sessions."""
    used_messages_delete()


@shared_task
def table_paytables_add() -> None:
    """Give a pay table to each table whose terms have none yet."""
    table_paytables_add_missing()


async def _overdue_process() -> None:
    await deadlines_fire()
    await sessions_sweep()
