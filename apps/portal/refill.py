"""Refills of play money: the conditions of a refill.

The page that offers a refill (`refill_offer`) and the service that makes it (`wallet_refill` in services.py) both use
these conditions.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django.db.models import Exists, OuterRef
from django.db.models.functions import Now, TruncDate

from apps.core.errors import RefillNotNeeded, RefillNotOffered, RefillRoundOpen, RefillTaken
from apps.core.money import grouped, plain
from apps.rounds.models import Round, RoundEnd
from apps.rounds.registry import games
from apps.tables.selectors import lowest_stake
from apps.wallet.models import Kind, Wallet, WalletTransaction


@dataclass(frozen=True, slots=True)
class RefillCase:
    """The facts that decide about a refill. Amounts are in units of the currency."""

    now: datetime
    currency: str
    grant: Decimal
    """The balance after a refill; 0 if the currency is not play money."""
    balance: Decimal
    lowest_bet: Decimal | None
    """None if the player's partner offers no game in the currency."""
    is_taken: bool
    """Whether the wallet was refilled on this day in UTC."""
    has_open_round: bool

    @property
    def is_needed(self) -> bool:
        """Whether the balance is too low for every bet, and a refill would raise it."""
        return self.lowest_bet is not None and self.balance < min(self.lowest_bet, self.grant)

    @property
    def possible_from(self) -> datetime:
        """The time from which one refill a day allows the next."""
        if not self.is_taken:
            return self.now
        return datetime.combine(self.now.astimezone(UTC).date() + timedelta(days=1), time(), UTC)


def refill_case(wallet: Wallet) -> RefillCase:
    """Read the facts of a refill; `wallet.currency` and `wallet.player` are loaded already."""
    refills = WalletTransaction.objects.filter(wallet=OuterRef("pk"), kind=Kind.REFILL)
    rounds = Round.objects.filter(player=OuterRef("player"), how_ended=RoundEnd.OPEN)
    now, is_taken, has_open_round = (
        Wallet.objects.annotate(
            now=Now(),
            is_taken=Exists(
                refills.annotate(day=TruncDate("ctime", tzinfo=UTC)).filter(day=TruncDate(Now(), tzinfo=UTC))
            ),
            has_open_round=Exists(rounds),
        )
        .values_list("now", "is_taken", "has_open_round")
        .get(pk=wallet.pk)
    )
    return RefillCase(
        now=now,
        currency=wallet.currency_id,
        grant=wallet.currency.play_grant,
        balance=wallet.balance,
        lowest_bet=lowest_bet(wallet),
        is_taken=is_taken,
        has_open_round=has_open_round,
    )


def refill_check(case: RefillCase) -> None:
    """Raise the RefillRefused with the reason if no refill is possible now."""
    if not case.grant:
        raise RefillNotOffered(f"{case.currency} is not play money: there is no refill")
    if case.lowest_bet is None:
        raise RefillNotNeeded(f"no game is offered in {case.currency} at the moment", possible_from=case.possible_from)
    if not case.is_needed:
        raise RefillNotNeeded(
            f"the wallet holds {grouped(case.balance)} {case.currency}, enough for a bet;"
            f" a refill is for less than {grouped(min(case.lowest_bet, case.grant))}",
            possible_from=case.possible_from,
        )
    if case.has_open_round:
        raise RefillRoundOpen("a round is open: finish it first", possible_from=case.possible_from)
    if case.is_taken:
        raise RefillTaken("there is one refill a day, and this day's was taken", possible_from=case.possible_from)


def lowest_bet(wallet: Wallet, game_id: str = "") -> Decimal | None:
    """Return the lowest bet that the player's partner offers in the wallet's currency, alone or at a live table.

    With `game_id` this game alone counts. A minimum of 0, which is free play, counts as the smallest unit.
    """
    partner_id, currency_code = wallet.player.partner_id, wallet.currency_id
    offers = [game.offer(partner_id, currency_code) for game in games() if game_id in ("", game.id)]
    minimums = [offer.bet_min for offer in offers if offer is not None]
    live = lowest_stake(partner_id=partner_id, currency_code=currency_code, game_id=game_id)
    if live is not None:
        minimums.append(live)
    return max(min(minimums), wallet.currency.quantum) if minimums else None


def refill_offer(wallet: Wallet) -> dict[str, Any] | None:
    """Return the data of a page's offer of a refill, or None if the balance needs none.

    `reason` is empty if a refill is possible; otherwise it is the reason, and `possibleFrom` is the time of the next
    refill.
    """
    if not wallet.currency.is_play or wallet.balance >= wallet.currency.play_grant:
        return None
    case = refill_case(wallet)
    if not case.is_needed:
        return None
    reason = ""
    if case.has_open_round:
        reason = "round"
    elif case.is_taken:
        reason = "day"
    return {"amount": plain(case.grant), "reason": reason, "possibleFrom": case.possible_from.isoformat()}
