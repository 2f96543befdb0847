"""Reading the acts that wait for a second person."""

from collections.abc import Collection

from django.db.models import Q, QuerySet
from django.utils import timezone

from apps.approvals.models import Approval, ApprovalStatus


def approvals_waiting() -> "QuerySet[Approval]":
    """Return the acts that wait for a second person now."""
    return Approval.objects.filter(status=ApprovalStatus.WAITING, expires_at__gt=timezone.now())


def approvals_about(*, subjects: Collection[str] = (), acts: Collection[str] = ()) -> "QuerySet[Approval]":
    """Return the waiting acts that are about one of these subjects, or that are one of these acts; oldest first."""
    about = Q(subject__in=subjects) | Q(act__in=acts)
    return approvals_waiting().filter(about).select_related("asked_by").order_by("pk")
