"""Partners (casino operators) and the keys of their systems."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Lower, Now

from apps.core.models import Currency


class Partner(models.Model):
    """A casino operator. Players of our own portal belong to the house partner."""

    slug = models.SlugField(max_length=40, unique=True)
    name = models.CharField(max_length=100)
    is_house = models.BooleanField(default=False)
    active = models.BooleanField(default=True)
    default_currency = models.ForeignKey(Currency, models.PROTECT, null=True, blank=True, related_name="+")
    """The currency of a configuration without one: that of the partner's first configuration, until staff choose
    another."""
    frame_origins = ArrayField(models.CharField(max_length=262), default=list, blank=True)
    """The origins of pages that may show our tables in a frame. Empty: no page may."""
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)
    mtime = models.DateTimeField("changed", auto_now=True)

    class Meta:
        db_table = "partner"
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(Lower("name"), name="partner_name_once"),
            models.UniqueConstraint(fields=["is_house"], condition=models.Q(is_house=True), name="partner_one_house"),
        ]

    def __str__(self) -> str:
        return self.name


class Scope(models.TextChoices):
    """The permissions of a key."""

    CONFIGURE = "configure", "save limits, odds and rules"
    SESSIONS = "sessions", "create players and open sessions"
    WALLETS = "wallets", "move funds in and out"
    READ = "read", "read wallets, rounds and reports"


class ApiKey(models.Model):
    """A partner's key, stored as its SHA-256. The text is shown once, when the key is created."""

    partner = models.ForeignKey(Partner, models.PROTECT, related_name="api_keys")
    name = models.CharField(max_length=60)
    prefix = models.CharField(max_length=12, unique=True, editable=False)
    """The first characters of the key, which identify it for people."""
    key_hash = models.CharField(max_length=64, unique=True, editable=False)
    scopes = ArrayField(models.CharField(max_length=20, choices=Scope.choices))
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    """The time from which it is refused. None: never."""
    allowed_addresses = ArrayField(models.CharField(max_length=49), default=list, blank=True)
    """The networks that it may be used from; a single address is a network of one. Empty: from everywhere."""

    class Meta:
        db_table = "api_key"
        ordering = ["-id"]
        verbose_name = "API key"

    def __str__(self) -> str:
        return f"{self.prefix}… {self.name}"


class ApiKeyRequest(models.Model):
    """One of a key's last requests (`apps.partners.request_log`)."""

    key = models.ForeignKey(ApiKey, models.PROTECT, related_name="requests", db_index=False, db_constraint=False)
    """Without a constraint: its check would lock the key's row. Keys are never deleted."""
    time = models.DateTimeField()
    """The time of the answer."""
    method = models.CharField(max_length=7)
    path = models.CharField(max_length=300)
    """The path, percent-encoded, with the harmless parameters only."""
    status = models.SmallIntegerField()
    """The HTTP status of the answer."""
    code = models.CharField(max_length=40, null=True)
    """The code of the answer's error; None without one, and in rows from before this column."""
    field = models.CharField(max_length=60, null=True)
    """The wire name of the field that the error names, or None."""
    address = models.CharField(max_length=45)
    """The IP address, or `unknown`."""

    class Meta:
        db_table = "api_key_request"
        ordering = ["-id"]
        verbose_name = "API request"
        indexes = [models.Index(fields=["key", "-id"], name="api_key_request_by_key")]

    def __str__(self) -> str:
        return f"{self.method} {self.path}"
