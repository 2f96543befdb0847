"""A partner's queries about its own players; another partner's reference is treated as unknown."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Final

from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import TruncDay

from apps.accounts.models import Player
from apps.core.errors import NotFound
from apps.partners.models import Partner
from apps.rounds.models import Round, RoundEnd
from apps.rounds.selectors import bet_count
from apps.tables.bot_rounds import without_bots
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
    """Revenue in one currency. Payouts include stakes; GGR is stakes minus payouts."""

    currency: str
    rounds: int
    bets: int
    stakes: Decimal
    payouts: Decimal
    game: str | None = None
    day: date | None = None

    @property
    def ggr(self) -> Decimal:
        return self.stakes - self.payouts

    @property
    def hold_pct(self) -> Decimal | None:
        """GGR as a percentage of the stakes; None if there are no stakes."""
        return (100 * self.ggr / self.stakes).quantize(HOLD_DECIMALS) if self.stakes else None


@dataclass(frozen=True, slots=True)
class Summary:
    """Revenue by day, game and currency, and the sums by currency."""

    rows: list[Takings]
    totals: list[Takings]


def summary(*, partner: Partner, first_day: date, last_day: date, game: str | None = None) -> Summary:
    """Return the partner's revenue of those days in UTC, both included.

    An ended round counts on the day it started; voided rounds do not count.
    """
    wanted = RoundFilter(game=game, since=_midnight(first_day), until=_midnight(last_day + timedelta(days=1)))
    rounds = (
        without_bots(_rounds(partner, wanted))
        .exclude(how_ended__in=[RoundEnd.OPEN, RoundEnd.WITHDRAWN])
        .filter(void__isnull=True)
        .annotate(day=TruncDay("started_at", tzinfo=UTC), bet_count=bet_count())
    )
    grouped = rounds.values("day", "game", "currency_id").annotate(
        round_count=Count("pk"), bets=Sum("bet_count"), stakes=Sum("stake"), payouts=Sum("payout")
    )
    rows = [
        Takings(
            day=row["day"].date(),
            game=row["game"],
            currency=row["currency_id"],
            rounds=row["round_count"],
            bets=row["bets"],
            stakes=row["stakes"],
            payouts=row["payouts"],
        )
        for row in grouped.order_by("day", "game", "currency_id")
    ]
    return Summary(rows, _totals(rows))


def _totals(rows: list[Takings]) -> list[Takings]:
    totals: dict[str, Takings] = {}
    for row in rows:
        before = totals.get(row.currency, Takings(row.currency, 0, 0, Decimal(0), Decimal(0)))
        totals[row.currency] = Takings(
            row.currency,
            before.rounds + row.rounds,
            before.bets + row.bets,
            before.stakes + row.stakes,
            before.payouts + row.payouts,
        )
    return [totals[currency] for currency in sorted(totals)]


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)
