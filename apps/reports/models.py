"""Reports that were kept when their day was closed."""

from django.db import models

from apps.core.models import AppendOnly
from apps.partners.models import Partner


class KeptReport(AppendOnly):
    """A report of one day in UTC, of one partner or of all, made in the night after it."""

    name = models.CharField(max_length=40)
    day = models.DateField()
    partner = models.ForeignKey(Partner, models.PROTECT, null=True, related_name="+")
    """None: all partners."""
    head = models.JSONField()
    """Pairs of names and texts, as the report's page shows them."""
    row_count = models.IntegerField()
    body = models.BinaryField()
    """The CSV file. It has the rows and not the head, so that equal rows are equal bytes."""
    sha256 = models.CharField(max_length=64)
    """The SHA-256 of `body`, hexadecimal; the database checks it."""

    class Meta:
        db_table = "kept_report"
        ordering = ["-day", "partner", "name"]
        constraints = [
            models.UniqueConstraint(fields=["day", "name", "partner"], nulls_distinct=False, name="kept_report_once"),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.day}"
