"""The page of the running system: what the tiles of the first page count, row by row."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone

from apps.core.admin import viewer_of
from apps.core.metrics import MAX_TASKS_READ, served_by_process, tasks_waiting
from apps.core.staff_scope import OPERATOR, may_enter
from apps.dashboards.tile import span_text
from apps.statistics.models import FoldState, StatisticsDay

# The lag is NULL for a role that may not see it, and for a replica that has nothing left to replay.
_REPLICAS_SQL: Final = "SELECT application_name, state, replay_lag FROM pg_stat_replication ORDER BY pid"


@dataclass(frozen=True, slots=True)
class Replica:
    """A replica of the database. Its state and lag are None if the servers' role may not see them."""

    name: str
    state: str | None
    lag: timedelta | None


def replicas_now() -> list[Replica]:
    """Return the replicas that are connected."""
    with connection.cursor() as cursor:
        cursor.execute(_REPLICAS_SQL)
        return [Replica(name or "without a name", state, lag) for name, state, lag in cursor.fetchall()]


def system(request: HttpRequest) -> HttpResponse:
    """What each process does, which tasks wait, and how far replicas and statistics are behind."""
    viewer = viewer_of(request)
    if not may_enter(viewer) or viewer.role != OPERATOR:
        raise PermissionDenied
    processes, tasks = served_by_process(), tasks_waiting()
    edge = FoldState.objects.values_list("edge", flat=True).first()
    closed = StatisticsDay.objects.filter(zone="UTC").order_by("-day").first()
    context = {
        **admin.site.each_context(request),
        "title": "The running system",
        "is_known": processes is not None and tasks is not None,
        "processes": [
            (
                ", ".join(one.hosts),
                one.sockets,
                one.answers,
                "-" if one.p99_s is None else f"{1000 * one.p99_s:.1f} ms",
            )
            for one in processes or ()
        ],
        "tasks": [] if tasks is None else tasks.most_common(),
        "max_tasks_read": MAX_TASKS_READ,
        "replicas": _replica_rows(replicas_now()),
        "edge": edge,
        "behind": "" if edge is None else span_text(timezone.now() - edge),
        "closed": closed,
    }
    return TemplateResponse(request, "office/system.html", context)


def _replica_rows(replicas: Sequence[Replica]) -> list[tuple[str, str, str]]:
    return [
        (each.name, each.state or "unknown", "unknown" if each.state is None else span_text(each.lag or timedelta(0)))
        for each in replicas
    ]
