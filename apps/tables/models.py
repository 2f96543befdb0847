"""Tables, their rounds and who sits at them (docs/tables.md, "What keeps a table alive").

A table is one row: the engine's state, a version that every change increments, and a deadline. One SQL function
(`tables_save`, migrations/0007_event_text.sql) writes a change together with its money, its log and its events.
"""

import json
import uuid
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from apps.accounts.models import Player
from apps.core.models import AmountField, AppendOnly, Currency
from apps.partners.models import Partner
from apps.rounds.models import GameSession
from apps.wallet.models import Wallet


class GameTable(models.Model):
    """A table of one partner, for one currency or for points."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    """Random, because everybody with the id can open a private table."""
    # An index for each foreign key would be written with every change of a deadline.
    partner = models.ForeignKey(Partner, models.PROTECT, related_name="+", db_index=False)
    game_type = models.CharField(max_length=20)
    """The game's name in the table protocol."""
    currency = models.ForeignKey(Currency, models.PROTECT, null=True, blank=True, related_name="+", db_index=False)
    """Null: the table keeps score in points, and no money moves."""
    name = models.CharField(max_length=60)
    seats = models.PositiveSmallIntegerField()
    rules = models.JSONField(default=dict)
    """The rules that differ from the game's defaults, by their names on the wire; limits and odds likewise."""
    limits = models.JSONField(default=dict)
    odds = models.JSONField(default=dict)
    window_ms = models.PositiveIntegerField()
    turn_ms = models.PositiveIntegerField()
    pause_ms = models.PositiveIntegerField()
    cut_card = models.PositiveSmallIntegerField(null=True, blank=True)
    """A new shoe is opened when this many cards or fewer are left; null: the game's default."""
    is_private = models.BooleanField(default=False)
    is_open = models.BooleanField(default=True)
    created_by = models.CharField(max_length=160)
    creator = models.ForeignKey(Player, models.PROTECT, null=True, blank=True, related_name="+")
    """The player who owns the table; null for a partner's table."""
    config_version = models.BigIntegerField(default=1)
    """Counts the changes of the terms; a round keeps the number that was current when its window opened."""
    version = models.BigIntegerField(default=0, editable=False)
    deadline = models.DateTimeField(null=True, editable=False)
    """The time of the table's next change by itself. Any process may make it; the check of the version lets only one
    succeed."""
    state = models.JSONField(default=dict, editable=False)
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)

    class Meta:
        db_table = "game_table"
        ordering = ["-ctime"]
        indexes = [
            models.Index(
                fields=["deadline"], condition=models.Q(deadline__isnull=False), name="game_table_by_deadline"
            ),
            models.Index(fields=["partner", "currency"], name="game_table_by_partner"),
        ]

    def __str__(self) -> str:
        return self.name


class TableChain(AppendOnly):
    """The seeds of a table's rounds: each is the SHA-256 of the next round's seed (docs/fairness.md, "At a table").

    `commitment`, s_0, is public before the first bet. The last seed is stored encrypted; the others follow from it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    table = models.ForeignKey(GameTable, models.PROTECT, related_name="chains")
    commitment = models.CharField(max_length=64, unique=True)
    sealed_seed = models.BinaryField(editable=False)
    """s_n, encrypted with PUNTO_SEED_KEY and bound to the commitment."""
    length = models.PositiveIntegerField()
    first_round = models.BigIntegerField()
    """The number of the round that is dealt with s_1."""

    class Meta:
        db_table = "table_chain"
        ordering = ["-ctime"]
        constraints = [models.UniqueConstraint(fields=["table", "first_round"], name="table_chain_round")]

    def __str__(self) -> str:
        return f"{self.commitment[:12]}… from round {self.first_round}"


class RoundEnding(models.TextChoices):
    """The ends of a table's round; empty while it is running."""

    RUNNING = "", "running"
    SETTLED = "settled", "settled"
    UNSTAKED = "unstaked", "nobody staked"
    VOIDED = "voided", "voided"


class TableRound(models.Model):
    """One round of a table, staked on or not. It is written when its window opens, and never changes after its end."""

    sealed_when = "held.ending <> ''"
    sealed_by = "held.ended_at"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    table = models.ForeignKey(GameTable, models.PROTECT, related_name="rounds")
    number = models.BigIntegerField()
    chain = models.ForeignKey(TableChain, models.PROTECT, related_name="rounds")
    seed_hash = models.CharField(max_length=64)
    seed = models.CharField(max_length=64, blank=True, default="", editable=False)
    """Empty until the round has ended."""
    nonce = models.BigIntegerField()
    contributions = models.JSONField(default=list)
    client_seed = models.CharField(max_length=1023, blank=True, default="")
    shoe = ArrayField(models.PositiveSmallIntegerField(), size=52, null=True)
    """The number of each card in the shoe; null: infinite decks."""
    config_version = models.BigIntegerField()
    terms = models.JSONField(default=dict)
    """Rules, limits and odds, as they were when the window opened."""
    started_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True)
    ending = models.CharField(max_length=10, choices=RoundEnding.choices, default=RoundEnding.RUNNING, blank=True)
    detail = models.JSONField(default=dict)
    """The cards and every seat's outcome; empty until the round has ended, and if nobody staked."""

    class Meta:
        db_table = "table_round"
        ordering = ["-started_at"]
        constraints = [
            models.UniqueConstraint(fields=["table", "number"], name="table_round_number"),
            models.CheckConstraint(
                condition=models.Q(ending="", ended_at__isnull=True, seed="")
                | ~models.Q(ending="") & ~models.Q(seed="") & models.Q(ended_at__isnull=False),
                name="table_round_ended",
            ),
        ]

    def __str__(self) -> str:
        return f"table round {str(self.pk)[:8]}"


class TableAction(AppendOnly):
    """An action of a seat, or the default action that was taken for it, in order."""

    pk = models.CompositePrimaryKey("round_id", "number")
    round = models.ForeignKey(TableRound, models.PROTECT, related_name="actions", db_index=False, db_constraint=False)
    number = models.IntegerField()
    seat = models.PositiveSmallIntegerField()
    player = models.ForeignKey(Player, models.PROTECT, related_name="+", db_index=False, db_constraint=False)
    action = models.JSONField()
    """The action in the form of the wire, with its amount if it has one."""
    amount = AmountField(null=True)
    is_timeout = models.BooleanField(default=False)
    """Whether it is the default action."""

    class Meta:
        db_table = "table_action"
        ordering = ["round", "number"]

    def __str__(self) -> str:
        return f"{self.round_id} {self.number}"


class TableEvent(models.Model):
    """An event of a table, in order: for everybody at the table, for one session, or for watchers.

    Events are kept for clients that reconnect; the oldest are deleted when a window opens.
    """

    pk = models.CompositePrimaryKey("table_id", "version")
    table = models.ForeignKey(GameTable, models.PROTECT, related_name="events", db_index=False, db_constraint=False)
    version = models.BigIntegerField()
    round_number = models.BigIntegerField()
    events = models.TextField()
    """A JSON array. A text, because PostgreSQL takes longer to parse JSON than to write the change."""
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)

    class Meta:
        db_table = "table_event"
        ordering = ["table", "version"]

    def __str__(self) -> str:
        return f"{self.table_id} {self.version}"

    def event_list(self) -> list[dict[str, Any]]:
        """Return the events."""
        events: list[dict[str, Any]] = json.loads(self.events)
        return events


class TablePlayer(models.Model):
    """A player's identity at tables, which the other players see."""

    player = models.OneToOneField(Player, models.PROTECT, primary_key=True, related_name="at_tables")
    public_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    """`playerId` on the wire: random, and not the account's."""
    display_name = models.CharField(max_length=64)
    is_bot = models.BooleanField(default=False)
    """Whether it is a practice bot, which plays for points or play money, contributes no seed, and is in no report."""

    class Meta:
        db_table = "table_player"

    def __str__(self) -> str:
        return self.display_name


class TableServer(models.Model):
    """A process that holds sockets of tables. If it has not reported for long, it and its sockets count as gone."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "table_server"

    def __str__(self) -> str:
        return str(self.pk)


class TableSession(models.Model):
    """A player at the tables, with one token and at most one socket. Only the SHA-256 of the token is stored."""

    session_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    """The public id on the wire; it is no credential."""
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    player = models.ForeignKey(Player, models.PROTECT, related_name="table_sessions")
    partner = models.ForeignKey(Partner, models.PROTECT, related_name="+")
    currency = models.ForeignKey(Currency, models.PROTECT, related_name="+")
    game_session = models.ForeignKey(GameSession, models.PROTECT, null=True, blank=True, related_name="+")
    """The partner's session from which it was opened. If that session is ended (`game_session_end`), this one is over
    too."""
    allowed_games = ArrayField(models.CharField(max_length=20))
    """Names of games in the table protocol."""
    max_stake = AmountField(null=True)
    """The highest stake in a round; null: the table's limit."""
    address = models.CharField(max_length=45, blank=True, default="", db_default="", editable=False)
    """The IP address that it was opened from; empty for a practice bot."""
    expires_at = models.DateTimeField()
    active_at = models.DateTimeField(db_default=Now())
    """The time of the last message, to within a few seconds."""
    socket = models.CharField(max_length=32, blank=True, default="", editable=False)
    """The newest socket, which alone acts for the session; empty: none."""
    server = models.ForeignKey(
        TableServer, models.SET_NULL, null=True, blank=True, related_name="sessions", db_constraint=False
    )
    dropped_at = models.DateTimeField(null=True)
    """The beginning of its time without a socket; null: it has a socket, or has never had a socket or a seat."""
    ended_at = models.DateTimeField(null=True, blank=True)
    sequence = models.BigIntegerField(default=0, editable=False)
    """The highest sequence number that is reserved; sockets reserve numbers in blocks."""
    changes = models.BigIntegerField(default=0, editable=False)
    """Counts the changes that concern its socket: of the tables that it belongs to, and its end."""
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)

    class Meta:
        db_table = "table_session"
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["server"], condition=models.Q(ended_at__isnull=True), name="table_session_by_server"),
            models.Index(
                fields=["dropped_at"],
                condition=models.Q(ended_at__isnull=True, dropped_at__isnull=False),
                name="table_session_by_drop",
            ),
            models.Index(
                fields=["expires_at"], condition=models.Q(ended_at__isnull=True), name="table_session_by_expiry"
            ),
        ]

    def __str__(self) -> str:
        return f"table session {self.pk}"


class TableSeat(models.Model):
    """An occupied seat, from `join` until the table frees it. A seat with a stake is freed after its round."""

    table = models.ForeignKey(GameTable, models.PROTECT, related_name="taken_seats", db_index=False)
    seat = models.PositiveSmallIntegerField()
    """Counted from 1."""
    player = models.ForeignKey(Player, models.PROTECT, related_name="+")
    wallet = models.ForeignKey(Wallet, models.PROTECT, null=True, related_name="+", db_index=False)
    """Null at a table for points."""
    session = models.ForeignKey(TableSession, models.PROTECT, related_name="seats")
    """The session that acts for the seat, and gets the events for this seat alone."""
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)

    class Meta:
        db_table = "table_seat"
        constraints = [
            models.UniqueConstraint(fields=["table", "seat"], name="table_seat_once"),
            models.UniqueConstraint(fields=["table", "player"], name="table_seat_one_a_player"),
        ]

    def __str__(self) -> str:
        return f"seat {self.seat} at {self.table_id}"


class TableMember(models.Model):
    """A session that follows a table, in a seat or watching."""

    table = models.ForeignKey(GameTable, models.PROTECT, related_name="members")
    session = models.ForeignKey(TableSession, models.PROTECT, related_name="memberships", db_index=False)
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)

    class Meta:
        db_table = "table_member"
        constraints = [models.UniqueConstraint(fields=["session", "table"], name="table_member_once")]

    def __str__(self) -> str:
        return f"{self.session_id} at {self.table_id}"


class TableMessage(models.Model):
    """The id of a message that a session has used: no message with it is carried out again."""

    pk = models.CompositePrimaryKey("session_id", "message_id")
    session = models.ForeignKey(
        TableSession, models.PROTECT, related_name="messages", db_index=False, db_constraint=False
    )
    message_id = models.UUIDField()

    class Meta:
        db_table = "table_message"

    def __str__(self) -> str:
        return str(self.message_id)
