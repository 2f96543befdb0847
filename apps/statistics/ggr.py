"""GGR (gross gaming revenue): its formula, and revenue from the games' day rows by day, partner and game."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final

from django.db.models import QuerySet, Sum

from apps.statistics.models import GameDay

HOLD_DECIMALS: Final = Decimal("0.0001")
_SUMMED: Final = {
    "rounds": "n",
    "bets": "bets",
    "stakes": "stake",
    "payouts": "payout",
    "voided_rounds": "voided_n",
    "voided_stakes": "voided_stake",
    "voided_payouts": "voided_payout",
}
"""The members of `Revenue` and the columns that they are sums of."""


def ggr(
    *,
    stakes: Decimal,
    payouts: Decimal,
    voided_stakes: Decimal = Decimal(0),
    voided_payouts: Decimal = Decimal(0),
) -> Decimal:
    """Return the gross gaming revenue: stakes less payouts, without those of voided rounds. Payouts include returned
    stakes.
    """
    return stakes - voided_stakes - (payouts - voided_payouts)


@dataclass(frozen=True, slots=True)
class Revenue:
    """Revenue in one currency. Payouts include returned stakes. Voids are counted on the day of the void, in
    columns of their own: the voided rounds are in the other columns too, on the day on which they ended."""

    currency: str
    rounds: int = 0
    bets: int = 0
    stakes: Decimal = Decimal(0)
    payouts: Decimal = Decimal(0)
    voided_rounds: int = 0
    voided_stakes: Decimal = Decimal(0)
    voided_payouts: Decimal = Decimal(0)
    game: str | None = None
    day: date | None = None
    partner_id: int | None = None

    @property
    def ggr(self) -> Decimal:
        return ggr(
            stakes=self.stakes,
            payouts=self.payouts,
            voided_stakes=self.voided_stakes,
            voided_payouts=self.voided_payouts,
        )

    @property
    def hold_pct(self) -> Decimal | None:
        """GGR as a percentage of the stakes that were not voided; None if there are none."""
        stakes = self.stakes - self.voided_stakes
        return (100 * self.ggr / stakes).quantize(HOLD_DECIMALS) if stakes else None


def revenue_sums(rows: "QuerySet[GameDay]", split: Sequence[str]) -> list[Revenue]:
    """Return the sums by the columns of `split` (period, partner_id, game) and the currency, in that order."""
    groups = [*split, "currency_id"]
    names = {"period": "day", "currency_id": "currency"}
    grouped: QuerySet[Any, Any] = (
        rows.order_by().values(*groups).annotate(**{name: Sum(column) for name, column in _SUMMED.items()})
    )
    return [
        Revenue(**{names.get(name, name): value for name, value in row.items()}) for row in grouped.order_by(*groups)
    ]


def revenue_totals(rows: Iterable[Revenue]) -> list[Revenue]:
    """Return the sums of the rows by currency, in the order of their codes."""
    totals: dict[str, Revenue] = {}
    for row in rows:
        before = totals.get(row.currency, Revenue(row.currency))
        added = {name: getattr(before, name) + getattr(row, name) for name in _SUMMED}
        totals[row.currency] = Revenue(row.currency, **added)
    return [totals[currency] for currency in sorted(totals)]
