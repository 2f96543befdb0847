"""Revenue from the day rows of games: of any days, partners and games."""

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
"""The members of `Takings` and the columns that they are sums of."""


@dataclass(frozen=True, slots=True)
class Takings:
    """Revenue in one currency. Payouts include stakes. Voids are counted on the day of the void, in columns of their
    own: the voided rounds are in the other columns too, on the day on which they ended."""

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
        """Stakes less payouts, without what was voided."""
        return self.stakes - self.voided_stakes - self.payouts + self.voided_payouts

    @property
    def hold_pct(self) -> Decimal | None:
        """GGR as a percentage of the stakes that were not voided; None if there are none."""
        stakes = self.stakes - self.voided_stakes
        return (100 * self.ggr / stakes).quantize(HOLD_DECIMALS) if stakes else None


def takings(rows: "QuerySet[GameDay]", split: Sequence[str]) -> list[Takings]:
    """Return the sums by the columns of `split` (period, partner_id, game) and the currency, in that order."""
    groups = [*split, "currency_id"]
    names = {"period": "day", "currency_id": "currency"}
    grouped: QuerySet[Any, Any] = (
        rows.order_by().values(*groups).annotate(**{name: Sum(column) for name, column in _SUMMED.items()})
    )
    return [
        Takings(**{names.get(name, name): value for name, value in row.items()}) for row in grouped.order_by(*groups)
    ]


def takings_totals(rows: Iterable[Takings]) -> list[Takings]:
    """Return the sums of the rows by currency, in the order of their codes."""
    totals: dict[str, Takings] = {}
    for row in rows:
        before = totals.get(row.currency, Takings(row.currency))
        added = {name: getattr(before, name) + getattr(row, name) for name in _SUMMED}
        totals[row.currency] = Takings(row.currency, **added)
    return [totals[currency] for currency in sorted(totals)]
