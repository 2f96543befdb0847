"""Pay tables: all that settles a round's bets, the theoretical figures, and who offered them when."""

from django.db import models
from django.db.models.functions import Now

from apps.core.models import AppendOnly, Currency
from apps.partners.models import Partner


class PayTable(AppendOnly):
    """A game's rules and the odds of all that is offered. Partners with equal terms share one row."""

    game = models.CharField(max_length=20)
    """The game's id on the wire."""
    hash = models.CharField(max_length=64, unique=True)
    """The hexadecimal SHA-256 of `document`."""
    document = models.TextField()
    """The canonical JSON of the terms and the game's id."""
    terms = models.JSONField()
    """The terms without the game's id, in the form of a round's terms."""

    class Meta:
        db_table = "paytable"
        ordering = ["-id"]
        verbose_name = "pay table"

    def __str__(self) -> str:
        return f"pay table {self.hash[:8]}"


class PayTableLine(AppendOnly):
    """The theoretical figures of one kind of bet of a pay table, for each unit staked."""

    paytable = models.ForeignKey(PayTable, models.PROTECT, related_name="lines")
    kind = models.CharField(max_length=40)
    """The bet's name on the wire."""
    lines = models.JSONField()
    """`apps.paytables.paytable_rows.lines_to_json`; empty if the results depend on the player's decisions."""
    rtp = models.DecimalField("theoretical RTP", max_digits=20, decimal_places=12)
    deviation = models.DecimalField("standard deviation", max_digits=20, decimal_places=12, null=True)
    method = models.CharField(max_length=40)
    law = models.CharField(max_length=64)

    class Meta:
        db_table = "paytable_line"
        ordering = ["paytable", "id"]
        verbose_name = "pay table bet"
        constraints = [
            models.UniqueConstraint(fields=["paytable", "kind"], name="paytable_line_kind"),
            models.CheckConstraint(condition=models.Q(rtp__gte=0), name="paytable_line_rtp"),
        ]

    def __str__(self) -> str:
        return self.kind


class PayTableUse(AppendOnly):
    """A partner's offer of a pay table in a currency, in the solo game or at a table.

    Its end is a second row, which names the first in `ends`.
    """

    partner = models.ForeignKey(Partner, models.PROTECT, related_name="+")
    currency = models.ForeignKey(Currency, models.PROTECT, related_name="+")
    game = models.CharField(max_length=20)
    paytable = models.ForeignKey(PayTable, models.PROTECT, related_name="uses")
    available_from = models.DateTimeField(db_default=Now())
    decommissioned_at = models.DateTimeField(null=True)
    by = models.CharField(max_length=160)
    ends = models.OneToOneField("self", models.PROTECT, null=True, related_name="end")
    """The row whose offer this one ends."""
    table_id = models.UUIDField(null=True)
    """The table whose offer it is; None for the offer of the solo game."""
    table_version = models.BigIntegerField(null=True)
    """The version of the table's configuration. Each has a use of its own, so that a round finds the one that it was
    opened with."""

    class Meta:
        db_table = "paytable_use"
        ordering = ["-id"]
        verbose_name = "use of a pay table"
        verbose_name_plural = "uses of pay tables"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(ends__isnull=True, decommissioned_at__isnull=True)
                | models.Q(ends__isnull=False, decommissioned_at__gte=models.F("available_from")),
                name="paytable_use_end",
            ),
            models.UniqueConstraint(
                fields=["table_id", "table_version"],
                condition=models.Q(ends__isnull=True, table_id__isnull=False),
                name="paytable_use_of_table",
            ),
            models.CheckConstraint(
                condition=models.Q(table_id__isnull=True, table_version__isnull=True)
                | models.Q(table_id__isnull=False, table_version__isnull=False),
                name="paytable_use_table",
            ),
        ]
        indexes = [models.Index(fields=["partner", "currency", "game", "-id"], name="paytable_use_by_offer")]

    def __str__(self) -> str:
        return f"use {self.pk} of pay table {self.paytable_id}"
