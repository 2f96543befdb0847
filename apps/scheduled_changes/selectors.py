"""Reading scheduled changes."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from apps.core.subjects import subject_of
from apps.scheduled_changes.models import ChangeStatus, ScheduledChange


def changes_waiting(config: Any) -> "QuerySet[ScheduledChange]":
    """Return the changes of a configuration that wait, the next one first."""
    waiting = ScheduledChange.objects.filter(subject=subject_of(config), status=ChangeStatus.WAITING)
    return waiting.select_related("asked_by").order_by("apply_at", "pk")


def change_due(*, now: datetime, left_out: Collection[int]) -> int | None:
    """Return the change that has been due for longest, or None."""
    due = ScheduledChange.objects.filter(status=ChangeStatus.WAITING, apply_at__lte=now).exclude(pk__in=left_out)
    return due.order_by("apply_at", "pk").values_list("pk", flat=True).first()
