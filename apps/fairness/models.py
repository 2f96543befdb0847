"""The seed pairs of players (docs/fairness.md)."""

from django.db import models
from django.db.models.functions import Now

from apps.accounts.models import Player


class SeedStatus(models.TextChoices):
    """A pair is committed as the next one, then deals, then is revealed."""

    NEXT = "next", "committed, not yet in use"
    ACTIVE = "active", "dealing"
    REVEALED = "revealed", "revealed"


class SeedPair(models.Model):
    """One server seed and the client seed that it deals with. A player has one active and one next.

    Every round counts `next_nonce` up. What holds for the other columns is checked by a trigger that is called when
    one of them changes (migrations/0002_seed_guard.sql): a CHECK would be read anew for every round.
    """

    player = models.ForeignKey(Player, models.PROTECT, related_name="seed_pairs")
    status = models.CharField(max_length=10, choices=SeedStatus.choices)
    commitment = models.CharField(max_length=64, unique=True)
    """SHA-256 of the server seed's ASCII text: public from the first moment."""
    sealed_seed = models.BinaryField(editable=False)
    """The server seed, encrypted with PUNTO_SEED_KEY."""
    server_seed = models.CharField(max_length=64, blank=True, default="", editable=False)
    """The plain seed, empty until it is revealed."""
    client_seed = models.CharField(max_length=64, blank=True, default="")
    client_seed_chosen = models.BooleanField(default=False)
    """Whether the player, or its browser, has proposed the client seed; else it is ours."""
    next_nonce = models.BigIntegerField(default=0)
    """The nonce of the next round: so many rounds were dealt with the pair."""
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
