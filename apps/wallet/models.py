"""The ledger: wallets, their movements, house accounts, and seals.

`wallet_transaction` is one posting with two legs: `change` on the wallet, `-change` on the partner's
house account. The trigger `wallet_transaction_append` (migrations/0003_refill.sql) checks a movement, fills in number,
balance and hash, and updates the wallet; nothing else can. The database refuses to change or delete a movement: the
triggers of `append_only` (apps/core/sql.py) and the privileges in apps/core/database_grants.py.
"""

from typing import Final

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Lower, Now

from apps.accounts.models import Player
from apps.core.models import AmountField, AmountSumField, AppendOnly, Currency
from apps.core.money import plain
from apps.partners.models import Partner


class HouseAccount(models.Model):
    """A partner's side of every movement in a currency. Every partner has one, not only the house partner (`is_house`).
    Its balance is a sum: see HouseSnapshot."""

    partner = models.ForeignKey(Partner, models.PROTECT, related_name="house_accounts")
    currency = models.ForeignKey(Currency, models.PROTECT, related_name="+")

    class Meta:
        db_table = "house_account"
        constraints = [models.UniqueConstraint(fields=["partner", "currency"], name="house_account_one")]

    def __str__(self) -> str:
        return f"house {self.partner_id} {self.currency_id}"


class WalletStatus(models.TextChoices):
    """Whether play and transfers may move the wallet's money."""

    ACTIVE = "active", "active"
    BLOCKED = "blocked", "blocked"


class Wallet(models.Model):
    """A player's money in one currency. Only the ledger's trigger changes `balance`, `row_count` and `head`."""

    app_may_update = ("status",)

    player = models.ForeignKey(Player, models.PROTECT, related_name="wallets")
    currency = models.ForeignKey(Currency, models.PROTECT, related_name="+")
    house_account = models.ForeignKey(HouseAccount, models.PROTECT, related_name="wallets")
    status = models.CharField(max_length=10, choices=WalletStatus.choices, default=WalletStatus.ACTIVE)
    balance = AmountField(db_default=0, editable=False)
    row_count = models.BigIntegerField(db_default=0, editable=False)
    head = models.BinaryField(max_length=32, db_default=b"", editable=False)
    """The hash of the newest movement; empty before the first."""
    ctime = models.DateTimeField("created", db_default=Now(), editable=False)

    class Meta:
        db_table = "wallet"
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["player", "currency"], name="wallet_one"),
            models.CheckConstraint(condition=models.Q(balance__gte=0), name="wallet_balance_not_negative"),
        ]

    def __str__(self) -> str:
        return f"wallet {self.pk} {self.currency_id}"


class Kind(models.TextChoices):
    """The kind of a movement; the ledger's trigger checks the sign of its change."""

    DEPOSIT = "deposit", "deposit"
    WITHDRAWAL = "withdrawal", "withdrawal"
    BET = "bet", "bet"
    REWARD = "reward", "reward"
    REFUND = "refund", "refund"
    ADJUSTMENT = "adjustment", "adjustment"
    REFILL = "refill", "refill"
    """Free play money: at most once a UTC day, up to the currency's `play_grant`."""


TRANSFER_KINDS: Final = [Kind.DEPOSIT, Kind.WITHDRAWAL, Kind.ADJUSTMENT, Kind.REFILL]
"""The kinds of movements that are not play."""
_TRANSFER: Final = "transfer"
OWN_ID_KINDS: Final = [Kind.DEPOSIT, Kind.WITHDRAWAL]
"""The kinds of movements that have an id with the partner."""
TRANSACTION_ID: Final = Lower(
    models.Func(
        "source_key",
        models.Value(f"^{_TRANSFER}:[0-9]+:"),
        models.Value(""),
        function="regexp_replace",
        output_field=models.TextField(),
    )
)
"""The partner's own id of a transfer, in lower case."""


def transfer_key(partner_id: int, transaction_id: str) -> str:
    """Return the source key of a deposit or withdrawal, from the partner's own id of it."""
    return f"{_TRANSFER}:{partner_id}:{transaction_id}"


class WalletTransaction(AppendOnly):
    """One movement: `change` goes from the house account to the wallet, or back if it is negative.

    The trigger locks the wallet and copies its house account, so there are no foreign keys that check again. It also
    checks the kind's sign, because a CHECK would be parsed anew for every row. `number` counts the wallet's rows from
    1; `hash` is SHA-256 over the row's content and the hash before it, as `wallet_transaction_hash` in
    migrations/0002_ledger.sql writes it.
    """

    wallet = models.ForeignKey(Wallet, models.PROTECT, related_name="transactions", db_index=False, db_constraint=False)
    house_account = models.ForeignKey(
        HouseAccount, models.PROTECT, related_name="+", editable=False, db_index=False, db_constraint=False
    )
    number = models.BigIntegerField(editable=False)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    change = AmountField()
    balance_after = AmountField(editable=False)
    round_id = models.UUIDField(null=True)
    record_id = models.BigIntegerField(null=True)
    source_key = models.CharField(max_length=160)
    """Our key, such as `<round id>:<n>:<kind>`: one key moves money once."""
    reason = models.TextField(blank=True, default="")
    hash = models.BinaryField(max_length=32, editable=False)

    class Meta:
        db_table = "wallet_transaction"
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["source_key"], name="wallet_transaction_source_key"),
            models.UniqueConstraint(fields=["wallet", "number"], name="wallet_transaction_number"),
        ]
        indexes = [
            models.Index(fields=["round_id"], name="wallet_transaction_by_round"),
            models.Index(fields=["ctime"], name="wallet_transaction_by_time"),
            models.Index(fields=["house_account", "ctime"], name="wallet_transaction_by_house"),
            models.Index(fields=["wallet", "ctime"], name="wallet_transaction_by_wallet"),
            models.Index(
                fields=["ctime"],
                condition=models.Q(kind__in=TRANSFER_KINDS),
                name="wallet_transfers_by_time",
            ),
            models.Index(
                fields=["wallet", "-id"],
                condition=models.Q(kind__in=TRANSFER_KINDS),
                name="wallet_transaction_transfers",
            ),
            models.Index(
                fields=["-id"],
                condition=models.Q(kind__in=TRANSFER_KINDS),
                name="wallet_transfers_newest",
            ),
            models.Index(TRANSACTION_ID, condition=models.Q(kind__in=OWN_ID_KINDS), name="wallet_transaction_own_id"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {plain(self.change)}"

    @property
    def transaction_id(self) -> str:
        """The partner's own id of a deposit or withdrawal; empty for other movements."""
        kind, _, rest = self.source_key.partition(":")
        return rest.partition(":")[2] if kind == _TRANSFER else ""


class HouseSnapshot(AppendOnly):
    """A house account's balance at a moment, minus the sum of its wallets, and its number of movements."""

    house_account = models.ForeignKey(HouseAccount, models.PROTECT, related_name="snapshots")
    balance = AmountSumField()
    row_count = models.BigIntegerField()

    class Meta:
        db_table = "house_snapshot"
        ordering = ["-id"]
        indexes = [models.Index(fields=["house_account", "-id"], name="house_snapshot_newest")]

    def __str__(self) -> str:
        return f"{self.house_account_id} {self.ctime}"


class DailySeal(AppendOnly):
    """An HMAC over the previous seal and all that this one covers (docs/operations.md, "Seals").

    Format 1 covers every wallet's head and row count; format 2 covers the root over the `SealedSection` rows and is
    signed as well. `ctime` is the database's time at sealing.
    """

    FORMAT: Final = 2
    """The format of new seals."""

    day = models.DateField(unique=True)
    previous_mac = models.CharField(max_length=64, blank=True)
    wallet_count = models.BigIntegerField()
    row_count = models.BigIntegerField()
    heads_hash = models.CharField(max_length=64)
    """The hash over all wallets' heads, by ascending wallet id: SHA-256 in format 1, a Merkle root in format 2."""
    mac = models.CharField(max_length=64)
    format = models.SmallIntegerField(default=FORMAT, db_default=1)
    root = models.CharField(max_length=64, blank=True, default="", db_default="")
    """The Merkle root over the sections, by ascending type and name."""
    key_id = models.CharField(max_length=16, blank=True, default="", db_default="")
    """The signing key among PUNTO_SIGN_KEYS."""
    signature = models.CharField(max_length=128, blank=True, default="", db_default="")
    """Ed25519, over the same message as the HMAC."""

    class Meta:
        db_table = "daily_seal"
        ordering = ["-day"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(format=1, root="", signature="")
                | models.Q(format=2) & ~models.Q(root="") & ~models.Q(signature=""),
                name="daily_seal_format",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.day}"


class SealedHead(AppendOnly):
    """The head of one wallet's chain when the day was sealed, if no earlier seal of the format keeps the same one."""

    seal = models.ForeignKey(DailySeal, models.PROTECT, related_name="heads")
    wallet_id = models.BigIntegerField()
    row_count = models.BigIntegerField()
    head = models.BinaryField(max_length=32)

    class Meta:
        db_table = "sealed_head"
        constraints = [models.UniqueConstraint(fields=["seal", "wallet_id"], name="sealed_head_one")]
        indexes = [models.Index(fields=["wallet_id", "seal"], name="sealed_head_by_wallet")]

    def __str__(self) -> str:
        return f"{self.seal_id} {self.wallet_id}"


class SealedSection(AppendOnly):
    """One leaf of a seal of format 2."""

    seal = models.ForeignKey(DailySeal, models.PROTECT, related_name="sections")
    type = models.CharField(max_length=20)
    name = models.CharField(max_length=63, blank=True)
    content = models.TextField()
    """Canonical JSON, byte for byte the text under the leaf's hash."""

    class Meta:
        db_table = "sealed_section"
        constraints = [models.UniqueConstraint(fields=["seal", "type", "name"], name="sealed_section_one")]

    def __str__(self) -> str:
        return f"{self.seal_id} {self.type} {self.name}"


class SealedBlock(AppendOnly):
    """Rows of a table that a seal covers, each with its fingerprint, so that an altered row can be reported."""

    section = models.ForeignKey(SealedSection, models.PROTECT, related_name="blocks")
    number = models.IntegerField()
    """The place of the block, from 0; the section's digest is over its blocks in this order."""
    row_keys = ArrayField(models.TextField())
    fingerprints = ArrayField(models.BinaryField(max_length=16))

    class Meta:
        db_table = "sealed_block"
        constraints = [models.UniqueConstraint(fields=["section", "number"], name="sealed_block_one")]

    def __str__(self) -> str:
        return f"{self.section_id} {self.number}"
