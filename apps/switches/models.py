"""Switches that stop new bets and rounds: of everything, or of one game, pay table, partner, player or table.

Open rounds continue to their end (docs/operations.md, "Switches").
"""

from django.db import models
from django.db.models.functions import Now


class SwitchScope(models.TextChoices):
    """The scopes of switches."""

    EVERYTHING = "everything", "everything"
    GAME = "game", "game"
    PAY_TABLE = "pay_table", "pay table"
    PARTNER = "partner", "partner"
    PLAYER = "player", "player"
    TABLE = "table", "table"


class Switch(models.Model):
    """One switch. The trigger `round_switch` reads it in the statement that opens a round.

    Rows stay, so that their history (`row_change`) is complete.
    """

    scope = models.CharField(max_length=10, choices=SwitchScope.choices)
    key = models.CharField(max_length=40, blank=True)
    """The game's id on the wire, or the key of the row; empty for everything."""
    is_off = models.BooleanField()
    reason = models.TextField()
    by = models.CharField(max_length=160)
    authorised_by = models.CharField(max_length=160, blank=True)
    """The second person, if two persons switched it on again."""
    mtime = models.DateTimeField("changed", db_default=Now(), editable=False)

    class Meta:
        db_table = "switch"
        ordering = ["-is_off", "-mtime"]
        verbose_name_plural = "switches"
        constraints = [
            models.UniqueConstraint(fields=["scope", "key"], name="switch_once"),
            models.CheckConstraint(condition=models.Q(scope__in=SwitchScope.values), name="switch_scope"),
            models.CheckConstraint(
                condition=models.Q(scope="everything", key="") | ~models.Q(scope="everything") & ~models.Q(key=""),
                name="switch_key",
            ),
        ]
        indexes = [models.Index(fields=["scope", "key"], condition=models.Q(is_off=True), name="switch_off")]

    def __str__(self) -> str:
        return f"{SwitchScope(self.scope).label} {self.key}".rstrip()
