"""What people did in the back office, written in the change's own transaction."""

from django.db import models

from apps.core.models import AppendOnly


class AuditEntry(AppendOnly):
    """One act. People and things are named by id and text, so that this table stands below all others."""

    actor = models.CharField(max_length=160)
    """A log-in's name, a key's prefix, or the platform's task."""
    actor_user_id = models.BigIntegerField(null=True)
    partner_id = models.BigIntegerField(null=True, db_index=True)
    action = models.CharField(max_length=60)
    subject = models.CharField(max_length=160)
    data = models.JSONField(default=dict)
    reason = models.TextField(blank=True)

    class Meta:
        db_table = "audit_entry"
        ordering = ["-id"]
        verbose_name_plural = "audit entries"
        indexes = [models.Index(fields=["ctime"], name="audit_entry_by_time")]

    def __str__(self) -> str:
        return f"{self.action} {self.subject}"
