"""Significant events, the chain that links them, and their thresholds."""

from django.db import models

from apps.core.models import AmountField, AmountSumField, AppendOnly


class EventKind(models.TextChoices):
    """The kinds of significant events, in the order of their numbers (docs/operations.md, "Significant events")."""

    LOGIN_FAILED = "login_failed", "failed log-ins"
    AUTHENTICATION_MISMATCH = "authentication_mismatch", "authentication mismatch"
    UNAVAILABLE = "unavailable", "unavailable, start or stop"
    LARGE_WIN = "large_win", "large win"
    LARGE_WAGER = "large_wager", "large wager"
    OVERRIDE = "override", "override"
    DATA_CHANGED = "data_changed", "data changed"
    SOFTWARE_CHANGED = "software_changed", "software changed"
    POLICY_CHANGED = "policy_changed", "policy changed"
    CLOCK_CHANGED = "clock_changed", "clock changed"
    GAME_CHANGED = "game_changed", "game changed"
    JACKPOT_CHANGED = "jackpot_changed", "jackpot changed"
    INCENTIVE_CHANGED = "incentive_changed", "incentive changed"
    ACCOUNT_CHANGED = "account_changed", "account changed"
    DATA_LOST = "data_lost", "data lost"
    INTERVENTION = "intervention", "intervention"
    UNUSUAL = "unusual", "unusual"

    @property
    def number(self) -> int:
        """The number of the kind, from 1."""
        return list(EventKind).index(self) + 1


class SignificantEvent(AppendOnly):
    """One event. People and things are named by id and text, so that this table depends on no other."""

    kind = models.CharField(max_length=30, choices=EventKind.choices)
    component = models.CharField(max_length=40)
    """The part of the product where it happened."""
    actor = models.CharField(max_length=160)
    """A log-in, an API key's prefix, or the platform."""
    authorised_by = models.CharField(max_length=160, blank=True, default="")
    """The second person of an act that took two; a trigger writes it."""
    partner_id = models.BigIntegerField(null=True)
    subject = models.CharField(max_length=160, blank=True)
    reason = models.TextField(blank=True)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    round_id = models.UUIDField(null=True)
    amount = AmountSumField(null=True)
    currency = models.CharField(max_length=8, blank=True)
    once = models.CharField(max_length=160, null=True, unique=True)
    """The name of a cause that each look finds again, so that it makes one event; else None."""

    class Meta:
        db_table = "significant_event"
        ordering = ["-id"]
        constraints = [models.CheckConstraint(condition=models.Q(kind__in=EventKind.values), name="event_kind")]
        indexes = [
            models.Index(fields=["kind", "-id"], name="event_by_kind"),
            models.Index(fields=["partner_id", "-id"], name="event_by_partner"),
            models.Index(fields=["partner_id", "-ctime"], name="event_by_partner_time"),
            models.Index(fields=["ctime"], name="event_by_time"),
            models.Index(fields=["subject", "-id"], name="event_by_subject"),
            models.Index(fields=["round_id"], condition=models.Q(round_id__isnull=False), name="event_by_round"),
        ]

    def __str__(self) -> str:
        return f"event {self.pk}"


class EventLink(AppendOnly):
    """A link of the one chain of all events. A trigger writes it at the commit, after all other locks."""

    app_may_insert = False

    number = models.BigIntegerField(primary_key=True)
    event_id = models.BigIntegerField(unique=True)
    hash = models.BinaryField(max_length=32)
    """SHA-256 over the previous link's hash, the number and the event (migrations/0002_chain.sql)."""

    class Meta:
        db_table = "event_link"
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"event link {self.number}"


class EventThreshold(AppendOnly):
    """The lowest value that makes something an event. The newest row of a kind, measure and currency applies."""

    kind = models.CharField(max_length=30, choices=EventKind.choices)
    measure = models.CharField(max_length=20)
    currency = models.CharField(max_length=8, blank=True)
    """Empty: all currencies without a row of their own."""
    value = AmountField()
    by = models.CharField(max_length=160)
    reason = models.TextField()

    class Meta:
        db_table = "event_threshold"
        ordering = ["-id"]
        constraints = [models.CheckConstraint(condition=models.Q(value__gt=0), name="event_threshold_positive")]
        indexes = [models.Index(fields=["kind", "measure", "currency", "-id"], name="event_threshold_newest")]

    def __str__(self) -> str:
        return f"{self.kind} {self.measure}"


class EventWatch(models.Model):
    """The time of the last look of `apps.events.watch`. There is one row."""

    at = models.DateTimeField(null=True)
    policy = models.JSONField(default=dict)
    """The policy at that look: settings, grants, parameters, play money (`apps/events/policy_watch.py`)."""

    class Meta:
        db_table = "event_watch"
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="event_watch_one")]

    def __str__(self) -> str:
        return f"looked at {self.at}"
