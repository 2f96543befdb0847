"""Changes of limits, odds and rules that take effect at a chosen time (docs/back-office.md)."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from apps.partners.models import Partner


class ChangeStatus(models.TextChoices):
    """The outcome of a scheduled change."""

    WAITING = "waiting", "waiting"
    DONE = "done", "done"
    REFUSED = "refused", "refused"
    WITHDRAWN = "withdrawn", "withdrawn"


class ScheduledChange(models.Model):
    """A change that somebody has scheduled. At its time it is carried out in the name of that log-in.

    A scheduled change is never edited, and an ended one stays ended: the trigger `scheduled_change_guard` enforces this
    too.
    """

    app_may_update = ("status", "ended_at", "ended_by", "outcome")

    kind = models.CharField(max_length=60)
    subject = models.CharField(max_length=160)
    """The configuration, as the audit names it."""
    partner = models.ForeignKey(Partner, models.PROTECT, related_name="+")
    payload = models.JSONField()
    """The arguments of the change, with amounts as exact texts. It is carried out with these and nothing else."""
    apply_at = models.DateTimeField("takes effect")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    ctime = models.DateTimeField("scheduled", db_default=Now(), editable=False)
    status = models.CharField(max_length=10, choices=ChangeStatus.choices, default=ChangeStatus.WAITING)
    ended_at = models.DateTimeField(null=True)
    ended_by = models.CharField(max_length=160, blank=True, default="")
    outcome = models.TextField(blank=True, default="")
    """The reason why it was withdrawn or refused."""

    class Meta:
        db_table = "scheduled_change"
        ordering = ["-apply_at", "-id"]
        constraints = [
            models.CheckConstraint(condition=models.Q(status__in=ChangeStatus.values), name="scheduled_change_status"),
            models.CheckConstraint(
                condition=models.Q(status="waiting", ended_at__isnull=True, ended_by="")
                | ~models.Q(status="waiting") & models.Q(ended_at__isnull=False) & ~models.Q(ended_by=""),
                name="scheduled_change_ended",
            ),
            models.CheckConstraint(
                condition=models.Q(status__in=["waiting", "done"]) | ~models.Q(outcome=""),
                name="scheduled_change_outcome",
            ),
        ]
        indexes = [
            models.Index(fields=["apply_at"], condition=models.Q(status="waiting"), name="scheduled_change_due"),
            models.Index(fields=["subject"], condition=models.Q(status="waiting"), name="scheduled_change_subject"),
        ]

    def __str__(self) -> str:
        return f"scheduled change {self.pk}"
