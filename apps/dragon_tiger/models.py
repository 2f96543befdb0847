"""Dragon tiger's three tables: limits, odds, records (docs/dragon-tiger.md)."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from simple_history.models import HistoricalRecords

from apps.core.history_manager import RowHistoryManager
from apps.dragon_tiger.engine import GameType
from apps.dragon_tiger.labels import BET_LABELS
from apps.one_deal.models import OneDealConfig, OneDealOdds, OneDealRecord, odds_constraints

GAME_TYPE_CHOICES = [(int(kind), kind.wire_name) for kind in GameType]


class DragonTigerConfig(OneDealConfig):
    """A partner's limits in a currency."""

    history = HistoricalRecords(table_name="dragon_tiger_config_history", history_manager=RowHistoryManager)

    class Meta(OneDealConfig.Meta):
        db_table = "dragon_tiger_config"
        verbose_name = "dragon tiger limits"
        verbose_name_plural = "dragon tiger limits"


class DragonTigerOddsConfig(OneDealOdds):
    """The odds of one bet, X to 1."""

    dragon_tiger_config = models.ForeignKey(DragonTigerConfig, models.PROTECT, related_name="odds_rows")
    game_type = models.PositiveSmallIntegerField(choices=GAME_TYPE_CHOICES)
    bet_labels = BET_LABELS
    history = HistoricalRecords(table_name="dragon_tiger_odds_config_history", history_manager=RowHistoryManager)

    class Meta:
        db_table = "dragon_tiger_odds_config"
        ordering = ["dragon_tiger_config", "game_type", "-status"]
        verbose_name = "dragon tiger odds"
        verbose_name_plural = "dragon tiger odds"
        constraints = odds_constraints("dragon_tiger")


class DragonTigerGameRecord(OneDealRecord):
    """One bet and its result."""

    game_type = models.SmallIntegerField(choices=GAME_TYPE_CHOICES)
    dragon_cards = ArrayField(models.CharField(max_length=3))
    tiger_cards = ArrayField(models.CharField(max_length=3))
    config = models.ForeignKey(DragonTigerConfig, models.PROTECT, related_name="+", db_index=False, db_constraint=False)

    class Meta(OneDealRecord.Meta):
        db_table = "dragon_tiger_game_record"
        verbose_name = "dragon tiger record"
        constraints = [
            *OneDealRecord.Meta.constraints,
            # Half of a stake is rounded down to the currency's unit, so a tie returns at most half.
            models.CheckConstraint(
                condition=models.Q(bet_amount__gt=0)
                & (
                    models.Q(result_type=1, reward_amount__gte=models.F("bet_amount"))
                    | models.Q(result_type=2, reward_amount=0)
                    | models.Q(
                        result_type=3, reward_amount__gte=0, reward_amount__lte=models.F("bet_amount") / models.Value(2)
                    )
                ),
                name="dragon_tiger_record_amounts",
            ),
        ]
        indexes = [
            *OneDealRecord.Meta.indexes,
            models.Index(fields=["game_type", "-id"], name="dragon_tiger_record_by_bet"),
        ]

    @property
    def cards(self) -> dict[str, list[str]]:
        return {"dragon": self.dragon_cards, "tiger": self.tiger_cards}
