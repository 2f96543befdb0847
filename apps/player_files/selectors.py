"""Reads of a player's file. Sums come from the day rows of the statistics, never from all rounds."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from django.db.models import Count, DecimalField, F, Max, Min, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from apps.accounts.models import Player
from apps.audit.models import AuditEntry
from apps.core.models import Currency
from apps.core.staff_scope import Viewer, sees_all_partners
from apps.player_files.models import PlayerNote
from apps.rounds.models import GameSession, Round
from apps.rounds.registry import game_title
from apps.statistics.models import PlayerDay
from apps.tables.models import TableSession
from apps.wallet.models import TRANSFER_KINDS, Kind, Wallet, WalletTransaction

CHART_DAYS: Final = 30
SESSIONS_SHOWN: Final = 20
ROUNDS_SHOWN: Final = 20
NOTES_SHOWN: Final = 50
TRANSFERS_SHOWN: Final = 20

_UTC: Final = "UTC"
_ZERO: Final = Decimal(0)


@dataclass(frozen=True, slots=True)
class Played:
    """The sums of a player's play in a currency, without voided rounds."""

    currency: Currency
    rounds: int
    stake: Decimal
    payout: Decimal
    first_day: date | None = None
    last_day: date | None = None

    @property
    def net(self) -> Decimal:
        """The player's winnings; below 0 a loss."""
        return self.payout - self.stake

    @property
    def rtp_pct(self) -> Decimal | None:
        return (100 * self.payout / self.stake).quantize(Decimal("0.01")) if self.stake else None

    @property
    def mean_stake(self) -> Decimal | None:
        return (self.stake / self.rounds).quantize(self.currency.quantum) if self.rounds else None


@dataclass(frozen=True, slots=True)
class PlayedDay:
    """A day of the chart."""

    day: date
    rounds: int
    stake: Decimal
    payout: Decimal

    @property
    def net(self) -> Decimal:
        return self.payout - self.stake


@dataclass(frozen=True, slots=True)
class WalletFunds:
    """A wallet, and its movements that are not play."""

    wallet: Wallet
    deposits: Decimal
    withdrawals: Decimal
    adjustments: Decimal
    refills: Decimal


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session of the player and its play."""

    kind: str
    pk: int
    game: str
    currency: Currency
    began: datetime
    ended: datetime | None
    """None for a running session."""
    why_ended: str
    rounds: int
    staked: Decimal
    won: Decimal
    balance_in: Decimal | None
    balance_out: Decimal | None
    address: str


def played_sums(player: Player) -> list[Played]:
    """Return the sums of all the player's play, a row for each currency."""
    sums = (
        PlayerDay.objects.filter(player=player, zone=_UTC)
        .order_by()
        .values("currency_id")
        .annotate(
            rounds=Sum(F("n") - F("voided_n")),
            staked=Sum(F("stake") - F("voided_stake")),
            paid=Sum(F("payout") - F("voided_payout")),
            first_day=Min("period"),
            last_day=Max("period"),
        )
        .order_by("currency_id")
    )
    currencies = Currency.objects.in_bulk([row["currency_id"] for row in sums])
    return [
        Played(
            currencies[row["currency_id"]], row["rounds"], row["staked"], row["paid"], row["first_day"], row["last_day"]
        )
        for row in sums
    ]


def played_days(player: Player, currency: Currency, *, today: date) -> list[PlayedDay]:
    """Return each of the last days, oldest first, also those without play."""
    first = today - timedelta(days=CHART_DAYS - 1)
    rows = (
        PlayerDay.objects.filter(player=player, zone=_UTC, currency=currency, period__gte=first, period__lte=today)
        .order_by()
        .values("period")
        .annotate(
            rounds=Sum(F("n") - F("voided_n")),
            staked=Sum(F("stake") - F("voided_stake")),
            paid=Sum(F("payout") - F("voided_payout")),
        )
    )
    found = {row["period"]: PlayedDay(row["period"], row["rounds"], row["staked"], row["paid"]) for row in rows}
    each = (first + timedelta(days=number) for number in range(CHART_DAYS))
    return [found.get(day, PlayedDay(day, 0, _ZERO, _ZERO)) for day in each]


def funds_of(player: Player) -> list[WalletFunds]:
    """Return the player's wallets with their transfers."""
    wallets = list(Wallet.objects.filter(player=player).select_related("currency").order_by("currency_id"))
    sums = (
        transfers_of(player)
        .order_by()
        .values("wallet_id", "kind")
        .annotate(changed=Sum("change"))
        .values_list("wallet_id", "kind", "changed")
    )
    found = {(wallet_id, kind): changed for wallet_id, kind, changed in sums}
    return [
        WalletFunds(
            wallet,
            deposits=found.get((wallet.pk, Kind.DEPOSIT), _ZERO),
            withdrawals=-found.get((wallet.pk, Kind.WITHDRAWAL), _ZERO),
            adjustments=found.get((wallet.pk, Kind.ADJUSTMENT), _ZERO),
            refills=found.get((wallet.pk, Kind.REFILL), _ZERO),
        )
        for wallet in wallets
    ]


def transfers_of(player: Player) -> "QuerySet[WalletTransaction]":
    """Return the movements that are not play, newest first; the index `wallet_transaction_transfers` has them."""
    rows = WalletTransaction.objects.filter(wallet__in=Wallet.objects.filter(player=player), kind__in=TRANSFER_KINDS)
    return rows.select_related("wallet__currency").order_by("-id")


def recent_rounds(player: Player) -> list[Round]:
    """Return the newest rounds."""
    rows = Round.objects.filter(player=player).select_related("currency", "void")
    return list(rows.order_by("-started_at")[:ROUNDS_SHOWN])


def status_act(player: Player) -> AuditEntry | None:
    """Return the act that gave the player its status, with who and why; None if it was never changed."""
    acts = AuditEntry.objects.filter(subject=f"player {player.pk}", action="player.status")
    return acts.order_by("-id").first()


def notes_of(player: Player, viewer: Viewer) -> list[PlayerNote]:
    """Return the notes that the viewer may read, newest first."""
    rows = PlayerNote.objects.filter(player=player).select_related("by")
    if not sees_all_partners(viewer):
        rows = rows.filter(is_internal=False)
    return list(rows.order_by("-id")[:NOTES_SHOWN])


def sessions_of(player: Player, *, now: datetime) -> list[SessionRow]:
    """Return the newest sessions, of games and of the tables, newest first."""
    rows = [*_game_sessions(player, now), *_table_sessions(player, now)]
    return sorted(rows, key=lambda row: row.began, reverse=True)[:SESSIONS_SHOWN]


def _game_sessions(player: Player, now: datetime) -> list[SessionRow]:
    sessions = GameSession.objects.filter(player=player).select_related("currency").order_by("-id")[:SESSIONS_SHOWN]
    # A round of the session begins between these times, which the index of the player's rounds finds. A bet may name
    # another currency than the session's; amounts of two currencies have no sum.
    of_session = Round.objects.filter(
        player=player,
        currency=OuterRef("currency"),
        session=OuterRef("pk"),
        started_at__gte=OuterRef("ctime"),
        started_at__lte=OuterRef("expires_at"),
    )
    summed = _summed(sessions, of_session)
    return [_session_row(row, "game", game_title(row.game) if row.game else "all tables", now) for row in summed]


def _table_sessions(player: Player, now: datetime) -> list[SessionRow]:
    sessions = TableSession.objects.filter(player=player).select_related("currency").order_by("-id")[:SESSIONS_SHOWN]
    of_session = Round.objects.filter(
        player=player,
        currency=OuterRef("currency"),
        table_round__isnull=False,
        started_at__gte=OuterRef("ctime"),
        started_at__lte=Coalesce(OuterRef("ended_at"), OuterRef("expires_at")),
    )
    return [_session_row(row, "tables", ", ".join(row.allowed_games), now) for row in _summed(sessions, of_session)]


def _summed(sessions: "QuerySet[Any]", rounds: "QuerySet[Round]") -> "QuerySet[Any]":
    counted = rounds.filter(void__isnull=True).order_by()
    sums = counted.values("player")
    amount: DecimalField[Any, Any] = DecimalField()
    found: QuerySet[Any] = sessions.annotate(
        rounds_played=Coalesce(Subquery(sums.annotate(each=Count("pk")).values("each")), 0),
        staked=Coalesce(Subquery(sums.annotate(each=Sum("stake")).values("each")), _ZERO, output_field=amount),
        won=Coalesce(Subquery(sums.annotate(each=Sum("payout")).values("each")), _ZERO, output_field=amount),
        balance_in=Subquery(rounds.order_by("started_at").values("balance_before")[:1]),
        balance_out=Subquery(rounds.order_by("-started_at").values("balance_after")[:1]),
    )
    return found


def _session_row(row: Any, kind: str, game: str, now: datetime) -> SessionRow:
    ended, why = _session_end(row, now)
    return SessionRow(
        kind=kind,
        pk=row.pk,
        game=game,
        currency=row.currency,
        began=row.ctime,
        ended=ended,
        why_ended=why,
        rounds=row.rounds_played,
        staked=row.staked,
        won=row.won,
        balance_in=row.balance_in,
        balance_out=row.balance_out,
        address=str(getattr(row, "address", None) or ""),
    )


def _session_end(row: Any, now: datetime) -> tuple[datetime | None, str]:
    if row.ended_at is not None:
        return row.ended_at, "ended"
    if row.expires_at <= now:
        return row.expires_at, "its time was over"
    return None, ""
