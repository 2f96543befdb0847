"""A partner's queries about its own players; another partner's reference is treated as unknown."""

import re
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Final

from django.db.models import Q, QuerySet, Sum

from apps.accounts.models import Player
from apps.core.errors import NotFound
from apps.partners.models import Partner
from apps.rounds.models import Round
from apps.statistics.models import FoldState, Level, PlayerDay, PlayStat
from apps.statistics.ranges import UTC_ZONE
from apps.wallet.models import Wallet

HOLD_DECIMALS: Final = Decimal("0.0001")

_REFERENCE: Final = re.compile(r"[\x21-\x7e]{1,64}")


def player_get(*, partner: Partner, reference: str) -> Player:
    """Return the partner's player with the reference. Raises NotFound."""
    player = None
    if _REFERENCE.fullmatch(reference):
        player = Player.objects.select_related("partner").filter(partner=partner, reference=reference).first()
    if player is None:
        raise NotFound("there is no such player")
    return player


def wallet_list(*, player: Player) -> QuerySet[Wallet]:
    """Return the player's wallets by currency."""
    return Wallet.objects.filter(player=player).order_by("currency_id")


@dataclass(frozen=True, slots=True)
class RoundFilter:
    """The filter of rounds; None is no restriction. A round's time is its start; `until` is excluded."""

    player: Player | None = None
    game: str | None = None
    since: datetime | None = None
    until: datetime | None = None


def round_list(*, partner: Partner, wanted: RoundFilter) -> QuerySet[Round]:
    """Return the partner's rounds, open and voided ones included, with all that the answer needs."""
    return _rounds(partner, wanted).select_related("player", "seed_pair", "void", "currency")


def _rounds(partner: Partner, wanted: RoundFilter) -> QuerySet[Round]:
    rounds = Round.objects.filter(partner=partner)
    if wanted.player is not None:
        rounds = rounds.filter(player=wanted.player)
    if wanted.game is not None:
        rounds = rounds.filter(game=wanted.game)
    if wanted.since is not None:
        rounds = rounds.filter(started_at__gte=wanted.since)
    if wanted.until is not None:
        rounds = rounds.filter(started_at__lt=wanted.until)
    return rounds


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

    @property
    def ggr(self) -> Decimal:
        """Stakes less payouts, without what was voided."""
        return self.stakes - self.voided_stakes - self.payouts + self.voided_payouts

    @property
    def hold_pct(self) -> Decimal | None:
        """GGR as a percentage of the stakes that were not voided; None if there are none."""
        stakes = self.stakes - self.voided_stakes
        return (100 * self.ggr / stakes).quantize(HOLD_DECIMALS) if stakes else None


@dataclass(frozen=True, slots=True)
class Summary:
    """Revenue by day, game and currency, and the sums by currency."""

    rows: list[Takings]
    totals: list[Takings]
    as_of: datetime | None
    """All that ended before this time is in it; None before the first fold."""


def summary(
    *, partner: Partner, first_day: date, last_day: date, game: str | None = None, own_days: bool = False
) -> Summary:
    """Return the partner's revenue of those days, both included, from the statistics.

    An ended round counts on the day it ended. Days are UTC's, or with `own_days` those of the partner's time zone.
    """
    wanted = {"partner": partner, "period__gte": first_day, "period__lte": last_day}
    if game is not None:
        wanted["game"] = game
    zone = ~Q(zone=UTC_ZONE) if own_days else Q(zone=UTC_ZONE)
    groups = ("period", "game", "currency_id")
    bets = {
        tuple(row[name] for name in groups): row["bets"]
        for row in PlayStat.objects.filter(zone, level=Level.DAY, **wanted)
        .order_by()
        .values(*groups)
        .annotate(bets=Sum("bets"))
    }
    sums = ("stake", "payout", "voided_stake", "voided_payout")
    grouped = (
        PlayerDay.objects.filter(zone, **wanted)
        .order_by()
        .values(*groups)
        .annotate(rounds=Sum("n"), voided_rounds=Sum("voided_n"), **{f"{name}s": Sum(name) for name in sums})
        .order_by(*groups)
    )
    rows = [
        Takings(
            currency=row["currency_id"],
            bets=bets.get((row["period"], row["game"], row["currency_id"]), 0),
            game=row["game"],
            day=row["period"],
            **{name: row[name] for name in _SUMMED if name != "bets"},
        )
        for row in grouped
    ]
    state = FoldState.objects.filter(pk=1).first()
    return Summary(rows, _totals(rows), None if state is None else state.edge)


_SUMMED: Final = ("rounds", "bets", "stakes", "payouts", "voided_rounds", "voided_stakes", "voided_payouts")


def _totals(rows: list[Takings]) -> list[Takings]:
    totals: dict[str, Takings] = {}
    for row in rows:
        before = totals.get(row.currency, Takings(row.currency))
        added = {name: getattr(before, name) + getattr(row, name) for name in _SUMMED}
        totals[row.currency] = Takings(row.currency, **added)
    return [totals[currency] for currency in sorted(totals)]
