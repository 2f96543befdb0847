"""What the player's pages show. Every read is of one player's own rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final
from uuid import UUID

from django.db.models import F, Prefetch, QuerySet, Sum

from apps.accounts.models import Player
from apps.baccarat.engine import GameType
from apps.baccarat.models import BaccaratConfig, BaccaratGameRecord, BaccaratOddsConfig, ConfigStatus
from apps.blackjack.models import BlackjackConfig, TermsStatus
from apps.core.errors import NotFound
from apps.core.money import grouped, plain
from apps.fairness.models import SeedPair, SeedStatus
from apps.portal.access import Seat
from apps.portal.labels import BET_HELP, BET_LABELS
from apps.rounds.games import BACCARAT, BLACKJACK
from apps.rounds.models import Round
from apps.wallet.models import Wallet, WalletTransaction

ROAD_ROUNDS: Final = 72
"""How many of the last rounds a bead plate of six rows and twelve columns shows."""


def wallet_of(seat: Seat) -> Wallet:
    """Return the wallet that the player plays from. Raises NotFound."""
    wallet = (
        Wallet.objects.filter(player=seat.player, currency_id=seat.currency_code)
        .select_related("currency")
        .only("id", "balance", "status", "player", "currency")
        .first()
    )
    if wallet is None:
        raise NotFound("you have no wallet in this currency")
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


def baccarat_table(seat: Seat) -> dict[str, object]:
    """Return what the baccarat page needs to lay the table; amounts as plain text.

    `bets` is empty while the partner offers no baccarat in this currency.
    """
    wallet = wallet_of(seat)
    config = BaccaratConfig.objects.filter(
        partner=seat.player.partner_id, currency=seat.currency_code, status=ConfigStatus.ACTIVE
    ).first()
    odds: Iterable[BaccaratOddsConfig] = (
        config.odds_rows.filter(status=ConfigStatus.ACTIVE).order_by("game_type") if config else ()
    )
    return {
        "currency": wallet.currency_id,
        "decimals": wallet.currency.decimals,
        "balance": plain(wallet.balance),
        "decks": config.decks if config else 0,
        "betMin": plain(config.bet_min) if config else "0",
        "betMax": plain(config.bet_max) if config else "0",
        "limits": f"{grouped(config.bet_min)} to {grouped(config.bet_max)}" if config else "",
        "bets": [
            {
                "gameType": row.game_type,
                "label": BET_LABELS[GameType(row.game_type)],
                "help": BET_HELP[GameType(row.game_type)],
                "odds": plain(row.odds),
            }
            for row in odds
        ],
        "road": baccarat_road(seat.player),
    }


def baccarat_road(player: Player) -> list[dict[str, list[str]]]:
    """Return the cards of the player's last deals, oldest first: what bead plate and big road are drawn from."""
    rounds = round_list(player, game=BACCARAT)[:ROAD_ROUNDS]
    cards = [next(iter(found.baccarat_records.all()), None) for found in rounds]
    return [{"player": record.player_cards, "banker": record.banker_cards} for record in reversed(cards) if record]


def blackjack_table(seat: Seat) -> dict[str, object]:
    """Return what the blackjack page needs to lay the table; amounts as plain text.

    `isOpen` is false while the partner offers no blackjack in this currency.
    """
    wallet = wallet_of(seat)
    config = BlackjackConfig.objects.filter(
        partner=seat.player.partner_id, currency=seat.currency_code, active=True
    ).first()
    terms = config.terms.filter(status=TermsStatus.ACTIVE).first() if config else None
    table: dict[str, object] = {
        "game": BLACKJACK,
        "currency": wallet.currency_id,
        "decimals": wallet.currency.decimals,
        "balance": plain(wallet.balance),
        "isOpen": terms is not None,
    }
    if config and terms:
        table |= {
            "betMin": plain(config.bet_min),
            "betMax": plain(config.bet_max),
            "perfectPairsMin": plain(config.perfect_pairs_min),
            "perfectPairsMax": plain(config.perfect_pairs_max),
            "pokerMin": plain(config.poker_min),
            "pokerMax": plain(config.poker_max),
            "rules": terms.rules,
            "perfectPairsOdds": terms.perfect_pairs_odds,
            "pokerOdds": terms.poker_odds,
        }
    return table


def play_totals(player: Player, currency_code: str) -> tuple[int, Decimal]:
    """Return how many rounds the player has played in a currency, and what they brought, stakes taken off."""
    rounds = Round.objects.filter(player=player, currency=currency_code)
    net = rounds.aggregate(net=Sum(F("payout") - F("stake")))["net"]
    return rounds.count(), net or Decimal(0)
