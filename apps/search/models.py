"""Saved filters of the back office's lists."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class SavedFilter(models.Model):
    """A list's filters with a name. The list checks them again each time, within the viewer's scope."""

    MAX_QUERY_CHARS: ClassVar[int] = 1_000
    MAX_PER_OWNER: ClassVar[int] = 100

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    listing = models.CharField(max_length=80)
    """The table, by the name of its admin: `rounds_round`."""
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=MAX_QUERY_CHARS)
    """The query of the list's address."""
    is_shared = models.BooleanField(default=False)
    """Whether log-ins of the owner's role and partner see it too."""
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)

    class Meta:
        db_table = "saved_filter"
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "listing", "name"], name="saved_filter_name_once"),
            models.CheckConstraint(condition=~models.Q(name=""), name="saved_filter_name"),
        ]
        indexes = [models.Index(fields=["listing"], condition=models.Q(is_shared=True), name="saved_filter_shared")]

    def __str__(self) -> str:
        return self.name
