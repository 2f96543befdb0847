"""Stored answers of idempotency keys."""

from datetime import timedelta

from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models.functions import Now


class StoredAnswer(models.Model):
    """The answer of a committed call, byte for byte. It is kept for at least 7 days and never changed."""

    KEPT_AT_LEAST = timedelta(days=7)
    """A trigger refuses an earlier removal (migrations/0002_kept.sql), and records later ones."""

    pk = models.CompositePrimaryKey("scope", "key")
    scope = models.CharField(max_length=120)
    """`play:<player id>:<game>` `partner:<partner id>:<endpoint>` or `office:<log-in>:<path>`."""
    key = models.CharField(max_length=128)
    body_hash = models.BinaryField(max_length=32)
    """SHA-256 of the body as canonical JSON with exact numbers."""
    status = models.SmallIntegerField()
    answer = models.BinaryField()
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)

    class Meta:
        db_table = "stored_answer"
        # Rows are stored in the order of time, so a small BRIN index finds the old ones.
        indexes = [BrinIndex(fields=["ctime"], name="stored_answer_by_time")]

    def __str__(self) -> str:
        return f"{self.scope} {self.key}"
