"""Accesses of staff: log-ins, refusals, opened files, exports."""

from django.db import models

from apps.core.models import AppendOnly


class AccessKind(models.TextChoices):
    """The kinds of accesses."""

    LOG_IN = "log_in", "logged in"
    FAILED = "failed", "failed to log in"
    LOCKED = "locked", "locked after failed log-ins"
    UNLOCKED = "unlocked", "unlocked"
    REFUSED = "refused", "was refused"
    FILE = "file", "saw a file"
    EXPORT = "export", "exported"


class StaffAccess(AppendOnly):
    """One access of a log-in of the back office. It is named by id and text, so that this table depends on no other."""

    user_id = models.BigIntegerField()
    username = models.CharField(max_length=150)
    role = models.CharField(max_length=20)
    partner_id = models.BigIntegerField(null=True)
    kind = models.CharField(max_length=10, choices=AccessKind.choices)
    address = models.CharField(max_length=45)
    """The IP address, or `unknown`."""
    page = models.CharField(max_length=200, blank=True)
    """The path of the page, percent-encoded, without its query."""

    class Meta:
        db_table = "staff_access"
        ordering = ["-id"]
        verbose_name = "access of staff"
        verbose_name_plural = "accesses of staff"
        indexes = [
            models.Index(fields=["user_id", "-id"], name="staff_access_by_user"),
            models.Index(fields=["ctime"], name="staff_access_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.username} {self.get_kind_display()}"
