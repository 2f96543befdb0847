"""Baccarat's three tables, under the names of the public baccarat RPC (docs/baccarat.md)."""

from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models.functions import Now
from simple_history.models import HistoricalRecords

from apps.accounts.models import Player
from apps.baccarat.engine import GameType as EngineGameType
from apps.baccarat.engine import ResultType as EngineResultType
from apps.cards.shoe import INFINITE_DECKS
from apps.core.models import AmountField, AppendOnly, Currency
from apps.fairness.models import SeedPair
from apps.partners.models import Partner
from apps.rounds.models import Round

GAME_TYPE_CHOICES = [(int(kind), kind.wire_name) for kind in EngineGameType]
RESULT_TYPE_CHOICES = [(int(kind), kind.wire_name) for kind in EngineResultType]


class ConfigStatus(models.IntegerChoices):
    """Whether a row holds; a pending one waits for an operator's confirmation."""

    INACTIVE = 0, "inactive"
    ACTIVE = 1, "active"
    PENDING = 2, "pending"


class BaccaratConfig(models.Model):
    """A partner's limits in a currency. One is active per partner and currency; it is changed in place."""

    partner = models.ForeignKey(Partner, models.PROTECT, related_name="baccarat_configs")
    currency = models.ForeignKey(Currency, models.PROTECT, db_column="currency", related_name="+")
    status = models.PositiveSmallIntegerField(choices=ConfigStatus.choices, default=ConfigStatus.ACTIVE)
    decks = models.PositiveSmallIntegerField(
        default=8,
        validators=[MinValueValidator(1), MaxValueValidator(INFINITE_DECKS)],
        help_text=f"1 to 8; {INFINITE_DECKS} is an infinite deck",
    )
    bet_min = AmountField()
    bet_max = AmountField()
    version = models.BigIntegerField(default=1, editable=False)
    """Grows by one with every change of the row or of its odds."""
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)
    mtime = models.DateTimeField("changed", auto_now=True)
    history = HistoricalRecords(table_name="baccarat_config_history")

    class Meta:
        db_table = "baccarat_config"
        ordering = ["partner", "currency"]
        verbose_name = "baccarat limits"
        verbose_name_plural = "baccarat limits"
        constraints = [
            models.UniqueConstraint(
                fields=["partner", "currency"], condition=models.Q(status=1), name="baccarat_config_active"
            ),
            models.CheckConstraint(condition=models.Q(bet_min__gt=0), name="baccarat_config_min"),
            models.CheckConstraint(condition=models.Q(bet_max__gte=models.F("bet_min")), name="baccarat_config_max"),
            models.CheckConstraint(condition=models.Q(decks__gte=1, decks__lte=9), name="baccarat_config_decks"),
        ]

    def __str__(self) -> str:
        return f"baccarat {self.currency_id}"


class BaccaratOddsConfig(models.Model):
    """What one bet pays, X to 1. One row is active per bet; a pending one may stand beside it."""

    baccarat_config = models.ForeignKey(BaccaratConfig, models.PROTECT, related_name="odds_rows")
    status = models.PositiveSmallIntegerField(choices=ConfigStatus.choices, default=ConfigStatus.ACTIVE)
    game_type = models.PositiveSmallIntegerField(choices=GAME_TYPE_CHOICES)
    odds = models.DecimalField(max_digits=10, decimal_places=4, help_text="X to 1")
    reason = models.TextField(blank=True, default="", editable=False)
    """Why the row is pending, or what the operator wrote when confirming it."""
    confirmed_by = models.CharField(max_length=160, blank=True, default="", editable=False)
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)
    mtime = models.DateTimeField("changed", auto_now=True)
    history = HistoricalRecords(table_name="baccarat_odds_config_history")

    class Meta:
        db_table = "baccarat_odds_config"
        ordering = ["baccarat_config", "game_type", "-status"]
        verbose_name = "baccarat odds"
        verbose_name_plural = "baccarat odds"
        constraints = [
            models.UniqueConstraint(
                fields=["baccarat_config", "game_type"], condition=models.Q(status=1), name="baccarat_odds_active"
            ),
            models.UniqueConstraint(
                fields=["baccarat_config", "game_type"], condition=models.Q(status=2), name="baccarat_odds_pending"
            ),
            models.CheckConstraint(condition=models.Q(odds__gte=0), name="baccarat_odds_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.get_game_type_display()} {self.odds.normalize():f} to 1"


class BaccaratGameRecord(AppendOnly):
    """One bet and how it ended. Amounts are in units of the currency; the reward includes the stake.

    Every index is paid for by every bet, so there are those that a list or a constraint needs, and no others. A list
    for one player and one partner joins the indexes of both. The round's is the foreign key that PostgreSQL follows:
    the function that writes a record has read the other rows, which are never deleted (see `Round`).
    """

    player = models.ForeignKey(
        Player, models.PROTECT, db_column="user_id", related_name="baccarat_records", db_index=False,
        db_constraint=False,
    )  # fmt: skip
    partner = models.ForeignKey(Partner, models.PROTECT, related_name="+", db_index=False, db_constraint=False)
    currency = models.ForeignKey(Currency, models.PROTECT, related_name="+", db_index=False, db_constraint=False)
    round = models.ForeignKey(Round, models.PROTECT, related_name="baccarat_records", db_index=False)
    game_type = models.SmallIntegerField(choices=GAME_TYPE_CHOICES)
    bet_amount = AmountField()
    odds = models.DecimalField(max_digits=10, decimal_places=4)
    result_type = models.SmallIntegerField(choices=RESULT_TYPE_CHOICES)
    reward_amount = AmountField()
    player_cards = ArrayField(models.CharField(max_length=3))
    banker_cards = ArrayField(models.CharField(max_length=3))
    seed_pair = models.ForeignKey(SeedPair, models.PROTECT, related_name="+", db_index=False, db_constraint=False)
    nonce = models.BigIntegerField()
    config = models.ForeignKey(BaccaratConfig, models.PROTECT, related_name="+", db_index=False, db_constraint=False)
    config_version = models.BigIntegerField()

    class Meta:
        db_table = "baccarat_game_record"
        ordering = ["-id"]
        verbose_name = "baccarat record"
        constraints = [
            models.UniqueConstraint(fields=["round", "game_type"], name="baccarat_record_one_bet"),
            models.CheckConstraint(
                condition=models.Q(bet_amount__gt=0)
                & (
                    models.Q(result_type=1, reward_amount__gte=models.F("bet_amount"))
                    | models.Q(result_type=2, reward_amount=0)
                    | models.Q(result_type=3, reward_amount=models.F("bet_amount"))
                ),
                name="baccarat_record_amounts",
            ),
        ]
        indexes = [
            models.Index(fields=["partner", "-id"], name="baccarat_record_by_partner"),
            models.Index(fields=["player", "-id"], name="baccarat_record_by_player"),
            models.Index(fields=["game_type", "-id"], name="baccarat_record_by_game_type"),
            models.Index(fields=["result_type", "-id"], name="baccarat_record_by_result"),
            models.Index(fields=["ctime"], name="baccarat_record_by_time"),
        ]

    def __str__(self) -> str:
        return f"record {self.pk}"
