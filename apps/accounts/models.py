"""Log-ins and players."""

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Now

from apps.core.models import Currency
from apps.partners.models import Partner


class Role(models.TextChoices):
    """The role of a log-in, which decides its rights (docs/security.md, "People")."""

    PLAYER = "player", "player"
    PARTNER_STAFF = "partner_staff", "partner staff"
    AUDITOR = "auditor", "auditor"
    OPERATOR = "operator", "operator"


class User(AbstractUser):
    """A log-in. Its rights follow from the role alone; `partner` restricts staff and auditors to one partner.

    An auditor without a partner reads all of them.
    """

    role = models.CharField(max_length=20, choices=Role.choices, default=Role.PLAYER)
    partner = models.ForeignKey(Partner, models.PROTECT, null=True, blank=True, related_name="staff")
    language = models.CharField(max_length=8, blank=True, default="", db_default="")
    """The code of the language of players' pages; empty: the browser's."""
    time_zone = models.CharField(max_length=64, blank=True, default="", db_default="")
    """The name of a place in the time zone database; empty: the browser's zone."""

    class Meta:
        db_table = "account_user"
        verbose_name = "log-in"
        verbose_name_plural = "log-ins"
        constraints = [
            models.CheckConstraint(
                condition=~models.Q(role="partner_staff") | models.Q(partner__isnull=False),
                name="user_staff_has_partner",
                violation_error_message="Partner staff belong to a partner: choose one.",
            ),
        ]


class PlayerStatus(models.TextChoices):
    """Whether a player may play. Bets of a blocked player are refused by each game's services (docs/index.md)."""

    ACTIVE = "active", "active"
    BLOCKED = "blocked", "blocked"


class Player(models.Model):
    """A player of one partner. Players of the house partner have a log-in or are guests, others only a reference."""

    partner = models.ForeignKey(Partner, models.PROTECT, related_name="players")
    reference = models.CharField(max_length=64)
    """The partner's own name for the player; unique within the partner."""
    user = models.OneToOneField(User, models.PROTECT, null=True, blank=True, related_name="player")
    currency = models.ForeignKey(Currency, models.PROTECT, related_name="+")
    """The currency of the default wallet."""
    status = models.CharField(max_length=10, choices=PlayerStatus.choices, default=PlayerStatus.ACTIVE)
    is_guest = models.BooleanField(default=False)
    """Whether the player plays without a log-in, until a sign-up. Only the house partner has guests."""
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)

    class Meta:
        db_table = "player"
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["partner", "reference"], name="player_reference"),
            models.CheckConstraint(
                condition=models.Q(is_guest=False) | models.Q(user__isnull=True), name="player_guest_has_no_user"
            ),
        ]
        indexes = [models.Index(fields=["ctime"], condition=models.Q(is_guest=True), name="player_guests")]

    def __str__(self) -> str:
        return self.reference


class PlayerFavourite(models.Model):
    """A tile that the lobby shows first to the player."""

    player = models.ForeignKey(Player, models.PROTECT, related_name="favourites")
    tile = models.CharField(max_length=48)
    """The tile's name in the lobby: `game-<slug>` or `table-<id>`."""
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)

    class Meta:
        db_table = "player_favourite"
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["player", "tile"], name="player_favourite_one")]

    def __str__(self) -> str:
        return self.tile
