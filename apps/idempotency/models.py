"""Answers kept under their idempotency key."""

from datetime import timedelta

from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models.functions import Now


class StoredAnswer(models.Model):
    """The answer of a call that committed, byte for byte; kept 7 days at least, and never changed."""

    KEPT_AT_LEAST = timedelta(days=7)
    """A trigger refuses to remove it before (migrations/0002_kept.sql), and writes down what is removed after."""

    pk = models.CompositePrimaryKey("scope", "key")
    scope = models.CharField(max_length=120)
    """`play:<player id>:<game>` or `partner:<partner id>:<endpoint>`."""
    key = models.CharField(max_length=128)
    body_hash = models.BinaryField(max_length=32)
    """SHA-256 of the body as canonical JSON with exact numbers."""
    status = models.SmallIntegerField()
    answer = models.BinaryField()
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)

    class Meta:
        db_table = "stored_answer"
        # Rows lie in the order of time, so that a few bytes for each stretch of them find the old ones.
        indexes = [BrinIndex(fields=["ctime"], name="stored_answer_by_time")]

    def __str__(self) -> str:
        return f"{self.scope} {self.key}"
