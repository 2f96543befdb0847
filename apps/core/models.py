"""Models that several apps use: the base of append-only tables, and currencies."""

from decimal import Decimal
from typing import Final

from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models.functions import Now

from apps.core.money import quantum_of

AMOUNT_DIGITS: Final = 20
AMOUNT_DECIMALS: Final = 8


class AmountField(models.DecimalField):
    """An amount of money in units of its currency: `numeric(20, 8)` (docs/money.md)."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        kwargs["max_digits"] = AMOUNT_DIGITS
        kwargs["decimal_places"] = AMOUNT_DECIMALS
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]


class AmountSumField(models.DecimalField):
    """A sum of amounts of one currency: `numeric(40, 8)`, since two of the highest amounts do not fit `AmountField`."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        kwargs["max_digits"] = 40
        kwargs["decimal_places"] = AMOUNT_DECIMALS
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]


class AppendOnly(models.Model):
    """Append-only rows: the database refuses UPDATE, DELETE and TRUNCATE.

    `apps.core.sql.append_only` in the table's migration makes the trigger; the role `punto_app` has only SELECT and
    INSERT (`apps.core.database_grants`).
    """

    ctime = models.DateTimeField("created", db_default=Now(), editable=False)

    class Meta:
        abstract = True


class Currency(models.Model):
    """A currency of wallets, and its number of legal decimals."""

    code = models.CharField(max_length=8, primary_key=True)
    name = models.CharField(max_length=40)
    decimals = models.PositiveSmallIntegerField(validators=[MaxValueValidator(8)])
    is_play = models.BooleanField("play money", default=False, db_default=False)
    """Whether it is play money, which can be refilled. Fixed once a wallet has the currency
    (apps/wallet/migrations)."""
    play_grant = AmountField(default=0, db_default=0)
    """For play money: the first balance of a new player of the house, and the balance after a refill."""

    class Meta:
        db_table = "currency"
        ordering = ["code"]
        verbose_name_plural = "currencies"
        constraints = [
            models.CheckConstraint(condition=models.Q(decimals__lte=8), name="currency_decimals"),
            models.CheckConstraint(
                condition=models.Q(is_play=True, play_grant__gt=0) | models.Q(is_play=False, play_grant=0),
                name="currency_play_grant",
            ),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def quantum(self) -> Decimal:
        """The smallest unit of the currency: 0.01 for two decimals."""
        return quantum_of(self.decimals)
