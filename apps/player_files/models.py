"""Notes on players."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from apps.accounts.models import Player
from apps.core.models import AppendOnly


class PlayerNote(AppendOnly):
    """A note of the back office on a player. A correction is another note."""

    MAX_CHARS: ClassVar[int] = 2_000

    player = models.ForeignKey(Player, models.PROTECT, related_name="notes", db_index=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", db_index=False)
    text = models.TextField()
    is_internal = models.BooleanField()
    """Whether only viewers of all partners may read it."""

    class Meta:
        db_table = "player_note"
        ordering = ["-id"]
        constraints = [models.CheckConstraint(condition=~models.Q(text=""), name="player_note_text")]
        indexes = [models.Index(fields=["player", "-id"], name="player_note_newest")]

    def __str__(self) -> str:
        return f"note {self.pk}"
