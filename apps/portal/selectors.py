"""What the player's pages show. Every read is of one player's own rows."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from django.db.models import F, Prefetch, QuerySet, Sum

from apps.accounts.models import Player
from apps.baccarat.models import BaccaratGameRecord
from apps.core.errors import NotFound
from apps.core.money import plain
from apps.fairness.models import SeedPair, SeedStatus
from apps.portal.access import Seat
from apps.rounds.games import BACCARAT
from apps.rounds.models import Round
from apps.wallet.models import Wallet, WalletTransaction

ROAD_ROUNDS: Final = 72
"""How many of the last rounds a bead plate of six rows and twelve columns shows."""


def wallet_of(seat: Seat) -> Wallet:
    """Return the wallet that the player plays from, with its currency and player. Raises NotFound."""
    wallet = (
        Wallet.objects.filter(player=seat.player, currency_id=seat.currency_code)
        .select_related("currency")
        .only("id", "balance", "status", "player", "currency")
        .first()
    )
    if wallet is None:
        raise NotFound("you have no wallet in this currency")
    wallet.player = seat.player
    return wallet


def wallet_list(player: Player) -> QuerySet[Wallet]:
    """Return the player's wallets, of all currencies."""
    return Wallet.objects.filter(player=player).select_related("currency").order_by("currency_id")


def movement_list(wallet: Wallet) -> QuerySet[WalletTransaction]:
    """Return the wallet's movements, newest first."""
    return WalletTransaction.objects.filter(wallet=wallet).order_by("-number")


def round_list(player: Player, *, game: str = "") -> QuerySet[Round]:
    """Return the player's rounds of one game or of all, newest first, with what a list prints."""
    records = BaccaratGameRecord.objects.order_by("id")
    rounds = (
        Round.objects.filter(player=player)
        .select_related("currency", "seed_pair", "blackjack", "void")
        .prefetch_related(Prefetch("baccarat_records", queryset=records))
        .annotate(net=F("payout") - F("stake"))
        .order_by("-started_at", "-id")
    )
    return rounds.filter(game=game) if game else rounds


def round_get(player: Player, round_id: UUID) -> Round:
    """Return one round of the player. Raises NotFound, for another player's round too."""
    found = round_list(player).filter(pk=round_id).first()
    if found is None:
        raise NotFound("you have no such round")
    return found


@dataclass(frozen=True, slots=True)
class Seeds:
    """A player's committed seed pairs, and those that were revealed, newest first."""

    active: SeedPair
    next: SeedPair
    revealed: QuerySet[SeedPair]


def seeds_of(player: Player) -> Seeds:
    """Return the player's seed pairs; the sealed server seeds are not loaded. Raises NotFound."""
    pairs = SeedPair.objects.filter(player=player).defer("sealed_seed")
    active = pairs.filter(status=SeedStatus.ACTIVE).first()
    following = pairs.filter(status=SeedStatus.NEXT).first()
    if active is None or following is None:
        raise NotFound("you have no seed pair yet")
    return Seeds(active, following, pairs.filter(status=SeedStatus.REVEALED).order_by("-revealed_at"))


def baccarat_road(player: Player) -> list[dict[str, list[str]]]:
    """Return the cards of the player's last deals, oldest first: what bead plate and big road are drawn from."""
    rounds = round_list(player, game=BACCARAT)[:ROAD_ROUNDS]
    cards = [next(iter(found.baccarat_records.all()), None) for found in rounds]
    return [{"player": record.player_cards, "banker": record.banker_cards} for record in reversed(cards) if record]


def baccarat_last(player: Player, currency_code: str, *, ended_since: datetime) -> dict[str, Any] | None:
    """Return the player's last deal in the form of a bet's answer, if it is no older than that and was not voided."""
    last = round_list(player, game=BACCARAT).filter(currency_id=currency_code, ended_at__gte=ended_since).first()
    records = list(last.baccarat_records.all()) if last is not None and not hasattr(last, "void") else []
    if last is None or not records:
        return None
    return {
        "round_id": str(last.pk),
        "player": records[0].player_cards,
        "banker": records[0].banker_cards,
        "bets": [
            {
                "game_type": record.game_type,
                "bet_amount": plain(record.bet_amount),
                "reward_amount": plain(record.reward_amount),
                "result_type": record.result_type,
            }
            for record in records
        ],
    }


def seed_is_unchosen(player: Player) -> bool:
    """Say whether the first pair still waits for the client seed that the player's browser proposes."""
    return SeedPair.objects.filter(
        player=player, status=SeedStatus.ACTIVE, client_seed_chosen=False, next_nonce=0
    ).exists()


def play_totals(player: Player, currency_code: str) -> tuple[int, Decimal]:
    """Return how many rounds the player has played in a currency, and what they brought, stakes taken off."""
    rounds = Round.objects.filter(player=player, currency=currency_code)
    net = rounds.aggregate(net=Sum(F("payout") - F("stake")))["net"]
    return rounds.count(), net or Decimal(0)
