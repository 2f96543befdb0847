"""Acts that wait for a second person (docs/security.md, "Two persons")."""

from datetime import datetime, timedelta
from typing import Any, Final

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone


class ApprovalStatus(models.TextChoices):
    """The outcome of a requested act."""

    WAITING = "waiting", "waiting"
    APPROVED = "approved", "approved"
    REJECTED = "rejected", "rejected"
    WITHDRAWN = "withdrawn", "withdrawn"


EXPIRED: Final = "expired"
"""The outcome of an act on which nobody has decided in time."""


class Approval(models.Model):
    """An act that one operator requests, and on which another one decides. It is carried out when it is approved.

    The request never changes, and a decision is final. The trigger `approval_guard` enforces both as well.
    """

    LASTS: Final = timedelta(hours=24)
    FACTOR_LASTS: Final = timedelta(minutes=15)
    """How recent the second factor of both persons has to be."""

    app_may_update = ("status", "decided_by_id", "decided_at", "decided_reason", "decided_factor_at")

    act = models.CharField(max_length=60)
    subject = models.CharField(max_length=160)
    """As the audit names it."""
    partner_id = models.BigIntegerField(null=True)
    payload = models.JSONField()
    """The arguments of the act, with amounts as exact texts. The act is carried out with these and nothing else."""
    why = models.TextField()
    """Why it needs a second person."""
    reason = models.TextField()
    """The act's own reason, given by the operator who asks."""
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    asked_factor_at = models.DateTimeField()
    ctime = models.DateTimeField("asked", db_default=Now(), editable=False)
    expires_at = models.DateTimeField()
    status = models.CharField(max_length=10, choices=ApprovalStatus.choices, default=ApprovalStatus.WAITING)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    decided_reason = models.TextField(blank=True, default="")
    decided_factor_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "approval"
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(condition=~models.Q(reason=""), name="approval_reason"),
            models.CheckConstraint(
                condition=models.Q(status="waiting", decided_by__isnull=True, decided_at__isnull=True)
                | ~models.Q(status="waiting") & models.Q(decided_by__isnull=False, decided_at__isnull=False),
                name="approval_decided",
            ),
            models.CheckConstraint(
                condition=~models.Q(status="approved")
                | ~models.Q(decided_by=models.F("asked_by")) & models.Q(decided_factor_at__isnull=False),
                name="approval_two_persons",
            ),
        ]
        indexes = [models.Index(fields=["-id"], condition=models.Q(status="waiting"), name="approval_waiting")]

    def __str__(self) -> str:
        return f"approval {self.pk}"

    def state_at(self, now: datetime) -> str:
        """Return the status, or that it has expired."""
        is_late = self.status == ApprovalStatus.WAITING and self.expires_at <= now
        return EXPIRED if is_late else str(self.status)

    @property
    def is_waiting(self) -> bool:
        """Whether somebody may still decide on it."""
        return self.state_at(timezone.now()) == ApprovalStatus.WAITING

    def wants(self, act: str, payload: dict[str, Any]) -> bool:
        """Return whether exactly this act was asked for."""
        return self.act == act and self.payload == payload
