"""The three tables of a game of one deal, as abstract models: limits, odds, records. A game subclasses them as
`<game>_config`, `<game>_odds_config` and `<game>_game_record`; the first two have a history. The guards and the
functions of its store come with its migrations (`store_sql.py`).
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models.functions import Now

from apps.accounts.models import Player
from apps.cards.shoe import INFINITE_DECKS
from apps.core.models import AmountField, AppendOnly, Currency
from apps.fairness.models import SeedPair
from apps.one_deal.engine import ResultType
from apps.partners.models import Partner
from apps.paytables.models import PayTable
from apps.rounds.models import Round

RESULT_TYPE_CHOICES = [(int(kind), kind.wire_name) for kind in ResultType]


class ConfigStatus(models.IntegerChoices):
    """Whether a row applies; a pending one waits for an operator's confirmation."""

    INACTIVE = 0, "inactive"
    ACTIVE = 1, "active"
    PENDING = 2, "pending"


class OneDealConfig(models.Model):
    """A partner's limits in a currency. One is active per partner and currency; it is changed in place."""

    if TYPE_CHECKING:
        odds_rows: Any

    partner = models.ForeignKey(Partner, models.PROTECT, related_name="%(app_label)s_configs")
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
    paytable = models.ForeignKey(PayTable, models.PROTECT, null=True, editable=False, related_name="+")
    """The pay table of the active odds; new rounds name it. None if no bet is offered."""
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)
    mtime = models.DateTimeField("changed", auto_now=True)

    class Meta:
        abstract = True
        ordering = ["partner", "currency"]
        constraints = [
            models.UniqueConstraint(
                fields=["partner", "currency"], condition=models.Q(status=1), name="%(app_label)s_config_active"
            ),
            models.CheckConstraint(condition=models.Q(bet_min__gt=0), name="%(app_label)s_config_min"),
            models.CheckConstraint(
                condition=models.Q(bet_max__gte=models.F("bet_min")), name="%(app_label)s_config_max"
            ),
            models.CheckConstraint(condition=models.Q(decks__gte=1, decks__lte=9), name="%(app_label)s_config_decks"),
        ]

    def __str__(self) -> str:
        game = str(self._meta.verbose_name).removesuffix(" limits")
        return f"{game} {self.currency_id}"


class OneDealOdds(models.Model):
    """The odds of one bet, X to 1. A bet has at most one active row, and at most one pending row beside it.

    A game adds the foreign key to its limits, `<game>_config`, the choices of `game_type`, and the bets' names.
    """

    bet_labels: ClassVar[Mapping[Any, str]]
    """The bets' names for people."""
    status = models.PositiveSmallIntegerField(choices=ConfigStatus.choices, default=ConfigStatus.ACTIVE)
    game_type = models.PositiveSmallIntegerField()
    odds = models.DecimalField(max_digits=10, decimal_places=4, help_text="X to 1")
    reason = models.TextField(blank=True, default="", editable=False)
    """The reason why the row is pending, or the operator's text of the confirmation."""
    confirmed_by = models.CharField(max_length=160, blank=True, default="", editable=False)
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)
    mtime = models.DateTimeField("changed", auto_now=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.bet_labels[self.game_type]} {self.odds.normalize():f} to 1"

    @property
    def bet_name(self) -> str:
        """The bet's name on the wire."""
        name: str = self.get_game_type_display()  # type: ignore[attr-defined]
        return name

    @property
    def limits(self) -> OneDealConfig:
        """The limits that the odds belong to."""
        config: OneDealConfig = getattr(self, f"{self._meta.app_label}_config")
        return config


class OneDealRecord(AppendOnly):
    """One bet and its result. Amounts are in units of the currency; the reward includes the stake.

    Every index makes every bet slower, so there are only those that a list or a constraint needs. A list for one player
    and one partner combines both indexes. The round's is the only foreign key that PostgreSQL enforces: the function
    that writes a record has read the other rows, which are never deleted (see `Round`).

    A game adds the foreign key to its limits, the choices of `game_type`, and the cards of each side.
    """

    player = models.ForeignKey(
        Player, models.PROTECT, db_column="user_id", related_name="%(app_label)s_records", db_index=False,
        db_constraint=False,
    )  # fmt: skip
    partner = models.ForeignKey(Partner, models.PROTECT, related_name="+", db_index=False, db_constraint=False)
    currency = models.ForeignKey(Currency, models.PROTECT, related_name="+", db_index=False, db_constraint=False)
    round = models.ForeignKey(Round, models.PROTECT, related_name="%(app_label)s_records", db_index=False)
    game_type = models.SmallIntegerField()
    bet_amount = AmountField()
    odds = models.DecimalField(max_digits=10, decimal_places=4)
    result_type = models.SmallIntegerField(choices=RESULT_TYPE_CHOICES)
    reward_amount = AmountField()
    seed_pair = models.ForeignKey(SeedPair, models.PROTECT, related_name="+", db_index=False, db_constraint=False)
    nonce = models.BigIntegerField()
    config_version = models.BigIntegerField()

    class Meta:
        abstract = True
        ordering = ["-id"]
        constraints = [models.UniqueConstraint(fields=["round", "game_type"], name="%(app_label)s_record_one_bet")]
        indexes = [
            models.Index(fields=["partner", "-id"], name="%(app_label)s_record_by_partner"),
            models.Index(fields=["player", "-id"], name="%(app_label)s_record_by_player"),
            models.Index(fields=["result_type", "-id"], name="%(app_label)s_record_by_result"),
            models.Index(fields=["ctime"], name="%(app_label)s_record_by_time"),
        ]

    def __str__(self) -> str:
        return f"record {self.pk}"

    @property
    def bet_name(self) -> str:
        """The bet's name on the wire."""
        name: str = self.get_game_type_display()  # type: ignore[attr-defined]
        return name

    @property
    def cards(self) -> dict[str, list[str]]:
        """The codes of the cards by side."""
        raise NotImplementedError


def odds_constraints(name: str) -> list[models.BaseConstraint]:
    """Return the constraints on odds of the game `name`: at most one active and one pending row for each bet."""
    one_of = [f"{name}_config", "game_type"]
    return [
        models.UniqueConstraint(fields=one_of, condition=models.Q(status=1), name=f"{name}_odds_active"),
        models.UniqueConstraint(fields=one_of, condition=models.Q(status=2), name=f"{name}_odds_pending"),
        models.CheckConstraint(condition=models.Q(odds__gte=0), name=f"{name}_odds_not_negative"),
    ]
