"""The seed pairs of players (docs/fairness.md)."""

from django.db import models
from django.db.models.functions import Now

from apps.accounts.models import Player
from apps.core.patterns import MAX_CLIENT_SEED_CHARS


class SeedStatus(models.TextChoices):
    """The states of a pair: committed as the next one, then active, then revealed."""

    NEXT = "next", "committed, not yet in use"
    ACTIVE = "active", "dealing"
    REVEALED = "revealed", "revealed"


class SeedPair(models.Model):
    """A server seed and its client seed. A player has one active pair and one next pair.

    Every round increments `next_nonce`. A trigger checks the other columns when one of them changes
    (migrations/0002_seed_guard.sql), since a CHECK would be evaluated for every round.
    """

    player = models.ForeignKey(Player, models.PROTECT, related_name="seed_pairs")
    status = models.CharField(max_length=10, choices=SeedStatus.choices)
    commitment = models.CharField(max_length=64, unique=True)
    """SHA-256 of the server seed's ASCII text, public from the beginning."""
    sealed_seed = models.BinaryField(editable=False)
    """The server seed, encrypted with PUNTO_SEED_KEY."""
    server_seed = models.CharField(max_length=64, blank=True, default="", editable=False)
    """The plain seed, empty until it is revealed."""
    client_seed = models.CharField(max_length=MAX_CLIENT_SEED_CHARS, blank=True, default="")
    client_seed_chosen = models.BooleanField(default=False)
    """Whether the player or its browser has proposed the client seed; otherwise the server chose it."""
    next_nonce = models.BigIntegerField(default=0)
    """The nonce of the next round, and so the number of rounds dealt with the pair."""
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)
    revealed_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        db_table = "seed_pair"
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["player"], condition=models.Q(status="active"), name="seed_pair_active"),
            models.UniqueConstraint(fields=["player"], condition=models.Q(status="next"), name="seed_pair_next"),
        ]

    def __str__(self) -> str:
        return f"{self.commitment[:12]}… {self.status}"
