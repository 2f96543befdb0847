"""Baccarat's three tables, with the names of the public baccarat RPC (docs/baccarat.md)."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from simple_history.models import HistoricalRecords

from apps.baccarat.engine import GameType
from apps.baccarat.labels import BET_LABELS
from apps.core.history_manager import RowHistoryManager
from apps.one_deal.models import OneDealConfig, OneDealOdds, OneDealRecord, odds_constraints

GAME_TYPE_CHOICES = [(int(kind), kind.wire_name) for kind in GameType]


class BaccaratConfig(OneDealConfig):
    """A partner's limits in a currency."""

    history = HistoricalRecords(table_name="baccarat_config_history", history_manager=RowHistoryManager)

    class Meta(OneDealConfig.Meta):
        db_table = "baccarat_config"
        verbose_name = "baccarat limits"
        verbose_name_plural = "baccarat limits"


class BaccaratOddsConfig(OneDealOdds):
    """The odds of one bet, X to 1."""

    baccarat_config = models.ForeignKey(BaccaratConfig, models.PROTECT, related_name="odds_rows")
    game_type = models.PositiveSmallIntegerField(choices=GAME_TYPE_CHOICES)
    bet_labels = BET_LABELS
    history = HistoricalRecords(table_name="baccarat_odds_config_history", history_manager=RowHistoryManager)

    class Meta:
        db_table = "baccarat_odds_config"
        ordering = ["baccarat_config", "game_type", "-status"]
        verbose_name = "baccarat odds"
        verbose_name_plural = "baccarat odds"
        constraints = odds_constraints("baccarat")


class BaccaratGameRecord(OneDealRecord):
    """One bet and its result."""

    game_type = models.SmallIntegerField(choices=GAME_TYPE_CHOICES)
    player_cards = ArrayField(models.CharField(max_length=3))
    banker_cards = ArrayField(models.CharField(max_length=3))
    config = models.ForeignKey(BaccaratConfig, models.PROTECT, related_name="+", db_index=False, db_constraint=False)

    class Meta(OneDealRecord.Meta):
        db_table = "baccarat_game_record"
        verbose_name = "baccarat record"
        constraints = [
            *OneDealRecord.Meta.constraints,
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
            *OneDealRecord.Meta.indexes,
            models.Index(fields=["game_type", "-id"], name="baccarat_record_by_game_type"),
        ]

    @property
    def cards(self) -> dict[str, list[str]]:
        return {"player": self.player_cards, "banker": self.banker_cards}
