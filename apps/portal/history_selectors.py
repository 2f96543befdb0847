"""Reads of the wallet and the history: the sums of days, the course of a balance, and files.

A day is one of the reader's time zone. The sums cover the newest `DAYS_SHOWN` days of the chosen rows, so that no page
reads a player's whole history.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import chain
from math import ceil
from typing import Final

from django.db.models import Count, F, Max, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, Mod, TruncDate
from django.template.defaultfilters import yesno
from django.utils import timezone
from django.utils.translation import gettext, pgettext

from apps.core.csv_export import rows_in_order
from apps.core.models import Currency
from apps.core.money import plain, quantum_of
from apps.portal.history_forms import day_start
from apps.rounds.models import Round, RoundEnd
from apps.rounds.registry import games
from apps.wallet.models import Kind, Wallet, WalletTransaction

DAYS_SHOWN: Final = 31
POINTS_SHOWN: Final = 120
"""The most points of the plot of a balance."""
_COUNTED: Final = ~Q(how_ended__in=[RoundEnd.VOIDED, RoundEnd.WITHDRAWN]) & Q(void__isnull=True)
_NOTHING: Final = Decimal(0)


@dataclass(frozen=True, slots=True)
class DayOfRounds:
    """The rounds that began on a day in one currency; void ones and those taken back are left out."""

    day: date
    currency: Currency
    rounds: int
    stake: Decimal
    payout: Decimal

    @property
    def net(self) -> Decimal:
        return self.payout - self.stake


@dataclass(frozen=True, slots=True)
class DayOfMovements:
    """The movements of a wallet on a day. `other` is the sum of movements that are neither bets nor payouts."""

    day: date
    staked: Decimal
    returned: Decimal
    other: Decimal
    balance: Decimal
    """At the day's end."""


@dataclass(frozen=True, slots=True)
class BalancePoint:
    """The balance after a movement. `second`, since 1970, never decreases from one point to the next."""

    second: int
    time: datetime
    balance: Decimal


def round_days(rounds: "QuerySet[Round]", currencies: Iterable[Currency]) -> list[DayOfRounds]:
    """Return the sums of the newest days of `rounds`, newest first."""
    newest = rounds.order_by("-started_at").values_list("started_at", flat=True).first()
    if newest is None:
        return []
    by_code = {currency.code: currency for currency in currencies}
    days = (
        rounds.filter(_COUNTED, started_at__gte=_first_shown(newest))
        .order_by()
        .values(day=TruncDate("started_at"), code=F("currency_id"))
        .annotate(number=Count("pk"), staked=Sum("stake"), returned=Sum("payout"))
        .order_by("-day", "code")
    )
    return [
        DayOfRounds(row["day"], by_code[row["code"]], row["number"], row["staked"], row["returned"]) for row in days
    ]


def movement_days(movements: "QuerySet[WalletTransaction]") -> list[DayOfMovements]:
    """Return the sums of the newest days of a wallet's movements, newest first."""
    newest = _newest_time(movements)
    if newest is None:
        return []
    of_bets, of_payouts = Q(kind=Kind.BET), Q(kind=Kind.REWARD)
    days = list(
        movements.filter(ctime__gte=_first_shown(newest))
        .order_by()
        .values(day=TruncDate("ctime"))
        .annotate(
            staked=Coalesce(Sum("change", filter=of_bets), _NOTHING),
            returned=Coalesce(Sum("change", filter=of_payouts), _NOTHING),
            other=Coalesce(Sum("change", filter=~of_bets & ~of_payouts), _NOTHING),
            last=Max("number"),
        )
        .order_by("-day")
    )
    last = movements.filter(number__in=[row["last"] for row in days])
    balances: dict[int, Decimal] = dict(last.values_list("number", "balance_after"))
    return [
        DayOfMovements(row["day"], -row["staked"], row["returned"], row["other"], balances[row["last"]]) for row in days
    ]


def balance_points(movements: "QuerySet[WalletTransaction]") -> list[BalancePoint]:
    """Return the balance over the newest days of a wallet's movements, oldest first; every nth one of many."""
    newest = _newest_time(movements)
    if newest is None:
        return []
    shown = movements.filter(ctime__gte=_first_shown(newest)).order_by("number")
    step = ceil(shown.count() / POINTS_SHOWN) or 1
    last = shown.aggregate(last=Max("number"))["last"] or 0
    every_nth = shown.annotate(rest=Mod("number", step)).filter(rest=last % step)
    points: list[BalancePoint] = []
    for moment, balance in every_nth.values_list("ctime", "balance_after"):
        # A transaction's time is that of its beginning, so two movements may have times in the opposite order.
        second = max(int(moment.timestamp()), points[-1].second if points else 0)
        points.append(BalancePoint(second, moment, balance))
    return points


def round_lines(rounds: "QuerySet[Round]") -> Iterator[list[object]]:
    """Return the lines of the file of rounds, the names of the columns first. Times are UTC, amounts exact.

    The words are in the reader's language. They are looked up before the first row is read, since the file is sent when
    the request's language may be over.
    """
    names: list[object] = [
        *(gettext("Round"), gettext("Game"), gettext("Began (UTC)"), gettext("Ended (UTC)"), gettext("How it ended")),
        *(gettext("Void"), gettext("Currency"), gettext("Staked"), gettext("Returned"), gettext("Result")),
        *(gettext("Balance before"), gettext("Balance after"), gettext("Nonce"), gettext("Commitment")),
    ]
    titles = {game.id: gettext(game.title) for game in games()}
    ends = {end.value: gettext(str(end.label)) for end in RoundEnd}
    voids = {is_void: yesno(is_void) for is_void in (True, False)}

    def row(played: Round) -> list[object]:
        pair, quantum = played.seed_pair, played.currency.quantum
        return [
            *(str(played.pk), titles[played.game], _time(played.started_at), _time(played.ended_at)),
            *(ends[played.how_ended], voids[hasattr(played, "void")], played.currency_id),
            *(_exact(amount, quantum) for amount in (played.stake, played.payout, played.payout - played.stake)),
            *(_exact(played.balance_before, quantum), _exact(played.balance_after, quantum)),
            *(played.nonce, pair.commitment if pair else ""),
        ]

    return chain([names], map(row, rows_in_order(rounds, ["-started_at", "-id"])))


def movement_lines(wallet: Wallet, movements: "QuerySet[WalletTransaction]") -> Iterator[list[object]]:
    """Return the lines of the file of a wallet's movements, the names of the columns first, like `round_lines`."""
    names: list[object] = [
        *(gettext("No."), gettext("Time (UTC)"), gettext("Kind"), pgettext("amount", "Change")),
        *(gettext("Balance after"), gettext("Currency"), gettext("Round"), gettext("Reason")),
    ]
    kinds = {kind.value: gettext(str(kind.label)) for kind in Kind}
    quantum = quantum_of(wallet.currency.decimals)

    def row(movement: WalletTransaction) -> list[object]:
        return [
            *(movement.number, _time(movement.ctime), kinds[movement.kind], _exact(movement.change, quantum)),
            *(_exact(movement.balance_after, quantum), wallet.currency_id, movement.round_id or "", movement.reason),
        ]

    return chain([names], map(row, rows_in_order(movements, ["-number"])))


def _newest_time(movements: "QuerySet[WalletTransaction]") -> datetime | None:
    found: datetime | None = movements.order_by("-number").values_list("ctime", flat=True).first()
    return found


def _first_shown(newest: datetime) -> datetime:
    return day_start(timezone.localdate(newest) - timedelta(days=DAYS_SHOWN - 1))


def _time(moment: datetime | None) -> str:
    return moment.astimezone(UTC).isoformat() if moment else ""


def _exact(amount: Decimal, quantum: Decimal) -> str:
    """Return the amount with all decimals of its currency; an amount with more keeps them."""
    shown = amount.quantize(quantum)
    return format(shown, "f") if shown == amount else plain(amount)
