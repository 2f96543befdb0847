"""Blackjack's tables: limits, terms (rules and odds), and the state of rounds."""

from django.db import models
from django.db.models.functions import Now
from simple_history.models import HistoricalRecords

from apps.accounts.models import User
from apps.core.history_manager import RowHistoryManager
from apps.core.models import AmountField, Currency
from apps.partners.models import Partner
from apps.paytables.models import PayTable
from apps.rounds.models import Round


class BlackjackConfig(models.Model):
    """A partner's limits in a currency, for the first stake of each kind."""

    partner = models.ForeignKey(Partner, models.PROTECT, related_name="blackjack_configs")
    currency = models.ForeignKey(Currency, models.PROTECT, related_name="+")
    active = models.BooleanField(default=True)
    free_play = models.BooleanField(default=False, db_default=False)
    """Whether a stake of 0 is taken; only then may `bet_min` be 0."""
    bet_min = AmountField()
    bet_max = AmountField()
    perfect_pairs_min = AmountField()
    perfect_pairs_max = AmountField(help_text="0 turns the side bet off")
    poker_min = AmountField()
    poker_max = AmountField(help_text="0 turns the side bet off")
    version = models.BigIntegerField(default=1, editable=False)
    """Grows by one with every change of the row or of its active terms."""
    paytable = models.ForeignKey(PayTable, models.PROTECT, null=True, editable=False, related_name="+")
    """The pay table of the active terms; new rounds name it. None if nothing is offered."""
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)
    mtime = models.DateTimeField("changed", auto_now=True)
    history = HistoricalRecords(table_name="blackjack_config_history", history_manager=RowHistoryManager)
    _history_user: User | None
    _change_reason: str

    class Meta:
        db_table = "blackjack_config"
        ordering = ["partner", "currency"]
        verbose_name = "blackjack limits"
        verbose_name_plural = "blackjack limits"
        constraints = [
            models.UniqueConstraint(fields=["partner", "currency"], name="blackjack_config_one"),
            models.CheckConstraint(
                condition=models.Q(bet_min__gte=0, perfect_pairs_min__gte=0, poker_min__gte=0),
                name="blackjack_config_min",
            ),
            models.CheckConstraint(
                condition=models.Q(free_play=True) | models.Q(bet_min__gt=0), name="blackjack_config_free_play"
            ),
            models.CheckConstraint(
                condition=models.Q(
                    bet_max__gte=models.F("bet_min"),
                    perfect_pairs_max__gte=models.F("perfect_pairs_min"),
                    poker_max__gte=models.F("poker_min"),
                ),
                name="blackjack_config_max",
            ),
        ]

    def __str__(self) -> str:
        return f"blackjack {self.currency_id}"


class TermsStatus(models.IntegerChoices):
    """The status of terms; pending ones wait for their house edge or for an operator."""

    INACTIVE = 0, "inactive"
    ACTIVE = 1, "active"
    PENDING = 2, "pending"


class BlackjackTerms(models.Model):
    """Rules and side-bet odds with their house edges."""

    config = models.ForeignKey(BlackjackConfig, models.PROTECT, related_name="terms")
    status = models.PositiveSmallIntegerField(choices=TermsStatus.choices, default=TermsStatus.PENDING)
    rules = models.JSONField()
    """`BlackjackRules.to_json()`."""
    perfect_pairs_odds = models.JSONField()
    """Outcome's name on the wire -> X to 1, as text."""
    poker_odds = models.JSONField()
    fingerprint = models.CharField(max_length=64, editable=False)
    """The fingerprint of the rules, which is the key of the cached figures."""
    house_edge = models.DecimalField(max_digits=12, decimal_places=8, null=True, editable=False)
    """The house edge of the main game as a fraction of the first stake; empty until it is computed."""
    deviation = models.DecimalField(max_digits=12, decimal_places=8, null=True, editable=False)
    """The standard deviation of the main game per unit staked; empty until it is simulated, or if it is shipped."""
    perfect_pairs_edge = models.DecimalField(max_digits=12, decimal_places=8, editable=False)
    poker_edge = models.DecimalField(max_digits=12, decimal_places=8, editable=False)
    reason = models.TextField(blank=True, default="", editable=False)
    """The reason why the terms are pending, or the operator's reason for the confirmation."""
    confirmed_by = models.CharField(max_length=160, blank=True, default="", editable=False)
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)
    mtime = models.DateTimeField("changed", auto_now=True)
    history = HistoricalRecords(table_name="blackjack_terms_history", history_manager=RowHistoryManager)
    _history_user: User | None
    _change_reason: str

    class Meta:
        db_table = "blackjack_terms"
        ordering = ["-id"]
        verbose_name = "blackjack rules and odds"
        verbose_name_plural = "blackjack rules and odds"
        constraints = [
            models.UniqueConstraint(fields=["config"], condition=models.Q(status=1), name="blackjack_terms_active"),
            models.UniqueConstraint(fields=["config"], condition=models.Q(status=2), name="blackjack_terms_pending"),
        ]

    def __str__(self) -> str:
        return f"terms {self.pk}"


class BlackjackRound(models.Model):
    """The engine's state of a round, which contains no hidden card, beside its `Round`."""

    sealed_by = "(SELECT ended_at FROM game_round WHERE id = held.round_id)"
    sealed_when = f"{sealed_by} IS NOT NULL"

    round = models.OneToOneField(Round, models.PROTECT, primary_key=True, related_name="blackjack")
    terms = models.ForeignKey(BlackjackTerms, models.PROTECT, related_name="+")
    state = models.JSONField()
    """In the form of `apps.blackjack.store.state_write`, without the rules, which are in the round's terms."""
    action_count = models.IntegerField(default=1)
    acted_at = models.DateTimeField(db_default=Now())
    """Without an index, which every action would have to update; there are few open rounds."""

    class Meta:
        db_table = "blackjack_round"

    def __str__(self) -> str:
        return f"blackjack {self.round_id}"
