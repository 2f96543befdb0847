"""The audit trail of people's actions, and the history of rows that may change."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.core.models import AppendOnly
from apps.core.office_html import act_in_words


class AuditEntry(AppendOnly):
    """One action. People and things are named by id and text, so that this table depends on no other."""

    actor = models.CharField(max_length=160)
    """A user's name, an API key's prefix, or the platform's task."""
    actor_user_id = models.BigIntegerField(null=True)
    partner_id = models.BigIntegerField(null=True)
    action = models.CharField(max_length=60)
    subject = models.CharField(max_length=160)
    data = models.JSONField(default=dict)
    reason = models.TextField(blank=True)

    class Meta:
        db_table = "audit_entry"
        ordering = ["-id"]
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["ctime"], name="audit_entry_by_time"),
            models.Index(fields=["action", "-ctime"], name="audit_entry_by_action"),
            models.Index(fields=["subject", "-id"], name="audit_entry_by_subject"),
            models.Index(fields=["actor_user_id", "-ctime"], name="audit_entry_by_actor_time"),
            models.Index(fields=["partner_id", "-ctime"], name="audit_entry_by_partner_time"),
        ]

    def __str__(self) -> str:
        return f"{act_in_words(self.action)}: {getattr(self, 'subject_words', self.subject)}"


class RowChange(AppendOnly):
    """One version of a row that may change: written by the trigger `<table>_history` in the change's transaction.

    `apps.core.sql.history_kept` creates the trigger. The servers' role has no right to write here itself.
    """

    app_may_insert = False

    class Op(models.TextChoices):
        """The kind of change."""

        FOUND = "=", "was there when its history began"
        MADE = "+", "made"
        CHANGED = "~", "changed"
        REMOVED = "-", "removed"

    table_name = models.CharField(max_length=63)
    row_key = models.TextField()
    number = models.BigIntegerField()
    """Counts the versions of the row from 1."""
    op = models.CharField(max_length=1, choices=Op.choices)
    content = models.JSONField()
    """All columns but the excluded ones; secret or personal columns as a hash. Empty for a removed row."""
    hash = models.BinaryField(max_length=32)
    """SHA-256 over the previous version and this one (migrations/0003_row_change.sql)."""

    class Meta:
        db_table = "row_change"
        constraints = [models.UniqueConstraint(fields=["table_name", "row_key", "number"], name="row_change_number")]

    def __str__(self) -> str:
        return f"{self.table_name} {self.row_key} {self.number}"


class RowRemoval(AppendOnly):
    """A row that was removed after its retention time; a trigger writes it in the transaction of the removal."""

    app_may_insert = False

    table_name = models.CharField(max_length=63)
    row_keys = ArrayField(models.TextField())

    class Meta:
        db_table = "row_removal"

    def __str__(self) -> str:
        return f"{self.table_name} {self.pk}"
