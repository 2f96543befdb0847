"""Sessions and rounds, the same for every game."""

import uuid
from typing import Any, Final

from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models.functions import Now

from apps.accounts.models import Player
from apps.core.models import AmountField, AppendOnly, Currency
from apps.fairness.models import SeedPair
from apps.partners.models import Partner
from apps.paytables.models import PayTable


class Device(models.TextChoices):
    """The device of a session's player, as the partner states it."""

    DESKTOP = "desktop", "desktop"
    MOBILE = "mobile", "mobile"
    APP = "app", "app"
    UNKNOWN = "unknown", "unknown"


class Channel(models.TextChoices):
    """The channel that a bet came by. The statistics' column has its former name, `door`."""

    BROWSER = "browser", "browser"
    TOKEN = "token", "token"
    SOCKET = "socket", "socket"
    TABLE = "table", "table"


class GameSession(models.Model):
    """A player's session of a game. Its token, a random UUID, is a bearer credential; only its SHA-256 is stored."""

    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    player = models.ForeignKey(Player, models.PROTECT, related_name="sessions")
    partner = models.ForeignKey(Partner, models.PROTECT, related_name="+")
    game = models.CharField(max_length=20)
    """The game's id on the wire."""
    currency = models.ForeignKey(Currency, models.PROTECT, related_name="+")
    return_url = models.URLField(blank=True, default="")
    cashier_url = models.URLField(blank=True, default="")
    """The page where a player without money gets more."""
    language = models.CharField(max_length=8, blank=True, default="")
    device = models.CharField(
        max_length=10, choices=Device.choices, default=Device.UNKNOWN, db_default=Device.UNKNOWN.value
    )
    code_hash = models.CharField(max_length=64, null=True, unique=True, editable=False)
    """SHA-256 of the one-time code that opens an embedded table; null for other sessions."""
    code_expires_at = models.DateTimeField(null=True, editable=False)
    code_spent_at = models.DateTimeField(null=True, editable=False)
    connection = models.CharField(max_length=32, blank=True, default="", editable=False)
    """The socket that holds the session: the newest takes over, an older one is refused from then on."""
    address = models.CharField(max_length=45, blank=True, default="", db_default="", editable=False)
    """The IP address that it was first used from; empty until then."""
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)

    class Meta:
        db_table = "game_session"
        ordering = ["-id"]
        indexes = [models.Index(fields=["expires_at"], name="game_session_by_expiry")]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(code_hash__isnull=True, code_expires_at__isnull=True, code_spent_at__isnull=True)
                | models.Q(code_hash__isnull=False, code_expires_at__isnull=False, code_spent_at__isnull=True)
                | models.Q(
                    code_hash__isnull=False,
                    code_expires_at__isnull=False,
                    code_spent_at__lt=models.F("code_expires_at"),
                ),
                name="game_session_code",
            ),
        ]

    def __str__(self) -> str:
        return f"session {self.pk} {self.game}"

    @property
    def is_embedded(self) -> bool:
        return self.code_hash is not None


class RoundEnd(models.TextChoices):
    """How a round ended; empty while it is open."""

    OPEN = "", "open"
    PLAYED = "played", "played"
    AUTO_COMPLETED = "auto_completed", "auto-completed"
    VOIDED = "voided", "voided while open"
    WITHDRAWN = "withdrawn", "withdrawn"
    """At a table: the stake was taken back before the betting closed. Nothing was dealt, and no report counts it."""


PLAYED_ENDS: Final = (RoundEnd.PLAYED, RoundEnd.AUTO_COMPLETED)
"""The ends of rounds that reports and statistics count."""


class Round(models.Model):
    """A deal and its bets, in any game (docs/money.md, "The record of a round").

    Its seeds and terms never change; stakes and payouts grow while it is open; once it has ended, the database refuses
    any change (migrations/0005_table_round.sql). At a live table it is the stake of one seat on the table's round,
    `table_round`, whose seeds deal it; until the betting closes its stake may go down again.

    A foreign key's check locks the referenced row; all bets at once would lock the same partner or currency. So
    PostgreSQL checks only the player's. The function that writes a round reads partner, currency, session and seed pair
    with the player, and none of them is ever deleted.
    """

    sealed_when = "held.how_ended <> ''"
    sealed_by = "held.ended_at"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    partner = models.ForeignKey(Partner, models.PROTECT, related_name="+", db_index=False, db_constraint=False)
    player = models.ForeignKey(Player, models.PROTECT, related_name="rounds", db_index=False)
    currency = models.ForeignKey(Currency, models.PROTECT, related_name="+", db_index=False, db_constraint=False)
    session = models.ForeignKey(
        GameSession, models.PROTECT, null=True, related_name="rounds", db_index=False, db_constraint=False
    )
    game = models.CharField(max_length=20)
    started_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True)
    how_ended = models.CharField(max_length=20, choices=RoundEnd.choices, default=RoundEnd.OPEN, blank=True)
    seed_pair = models.ForeignKey(
        SeedPair, models.PROTECT, null=True, related_name="rounds", db_index=False, db_constraint=False
    )
    table_round = models.UUIDField(null=True, editable=False)
    """The id of the table's round that the stake lies on (`apps.tables`); null in the solo game."""
    seat = models.PositiveSmallIntegerField(null=True, editable=False)
    nonce = models.BigIntegerField()
    config_version = models.BigIntegerField()
    """The version of the game's configuration that the round is settled with."""
    paytable = models.ForeignKey(
        PayTable, models.PROTECT, null=True, editable=False, related_name="+", db_index=False, db_constraint=False
    )
    """The pay table that settles the round; None for rounds that are older than pay tables."""
    terms = models.JSONField(default=dict)
    """Rules and odds of a round without a pay table; with one, only what the pay table does not contain."""
    detail = models.JSONField(default=dict)
    """The public outcome: the cards as shown, scores, results. Empty until the round ends."""
    stake = AmountField()
    """All stakes of the round, side bets and insurance included."""
    payout = AmountField(default=0)
    """All payouts, stakes included."""
    balance_before = AmountField()
    balance_after = AmountField()

    at_table: Any = None
    """The table's round itself, after `Explanation.read_with` has read it."""

    class Meta:
        db_table = "game_round"
        ordering = ["-started_at"]
        constraints = [
            models.UniqueConstraint(fields=["seed_pair", "nonce"], name="game_round_nonce_once"),
            # One open round of the solo game, whose `table_round` is null, and one at each table.
            models.UniqueConstraint(
                fields=["player", "game", "table_round"],
                condition=models.Q(how_ended=""),
                nulls_distinct=False,
                name="game_round_one_open",
            ),
            models.UniqueConstraint(
                fields=["table_round", "player"],
                condition=models.Q(table_round__isnull=False),
                name="game_round_table_once",
            ),
            models.CheckConstraint(
                condition=models.Q(seed_pair__isnull=False, table_round__isnull=True, seat__isnull=True)
                | models.Q(seed_pair__isnull=True, table_round__isnull=False, seat__isnull=False),
                name="game_round_dealt_from",
            ),
            models.CheckConstraint(
                condition=models.Q(how_ended="", ended_at__isnull=True)
                | ~models.Q(how_ended="") & models.Q(ended_at__isnull=False),
                name="game_round_ended",
            ),
            models.CheckConstraint(condition=models.Q(stake__gte=0, payout__gte=0), name="game_round_amounts"),
        ]
        indexes = [
            models.Index(fields=["partner", "-started_at", "game"], name="game_round_by_partner_game"),
            models.Index(fields=["player", "-started_at"], name="game_round_by_player"),
            models.Index(fields=["-started_at"], name="game_round_by_time"),
            BrinIndex(fields=["ended_at"], name="game_round_by_end", autosummarize=True),
            models.Index(fields=["started_at"], condition=models.Q(how_ended=""), name="game_round_open"),
            models.Index(fields=["game", "-started_at"], name="game_round_by_game"),
            models.Index(
                fields=["ended_at"],
                condition=models.Q(how_ended="auto_completed"),
                name="game_round_auto_completed",
            ),
        ]

    def __str__(self) -> str:
        return f"round {str(self.pk)[:8]}"

    @property
    def settlement_terms(self) -> dict[str, Any]:
        """The rules and odds that the round is settled by."""
        own: dict[str, Any] = self.terms
        return own if self.paytable is None else {**self.paytable.terms, **own}


class ActedBy(models.TextChoices):
    """The author of an action."""

    PLAYER = "player", "player"
    PLATFORM = "platform", "platform"


class RoundAction(AppendOnly):
    """One action in a round with its result, in order."""

    pk = models.CompositePrimaryKey("round_id", "number")
    round = models.ForeignKey(Round, models.PROTECT, related_name="actions", db_index=False, db_constraint=False)
    """The function that writes an action has just written its round."""
    number = models.IntegerField()
    acted_by = models.CharField(max_length=10, choices=ActedBy.choices)
    action = models.JSONField()
    events = models.JSONField()

    class Meta:
        db_table = "round_action"
        ordering = ["round", "number"]

    def __str__(self) -> str:
        return f"{self.round_id} {self.number}"


class RoundShare(models.Model):
    """A page of an ended and revealed round that its player shows to everybody with the link, until it is withdrawn.

    A trigger (migrations/0011_round_share.sql) checks the round, and that only its withdrawal changes a share.
    """

    app_may_update = ("withdrawn_at",)

    round = models.ForeignKey(Round, models.PROTECT, related_name="shares")
    code = models.CharField(max_length=32, unique=True, editable=False)
    """128 random bits, which are in the page's address."""
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)
    withdrawn_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        db_table = "round_share"
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["round"], condition=models.Q(withdrawn_at__isnull=True), name="round_share_one"
            ),
        ]

    def __str__(self) -> str:
        return f"share of {self.round_id}"


class RoundVoid(AppendOnly):
    """The voiding of a round by an operator: stakes were refunded, payouts taken back."""

    round = models.OneToOneField(Round, models.PROTECT, related_name="void")
    by = models.CharField(max_length=160)
    reason = models.TextField()

    class Meta:
        db_table = "round_void"
        constraints = [models.CheckConstraint(condition=~models.Q(reason=""), name="round_void_reason")]

    def __str__(self) -> str:
        return f"void {self.round_id}"
