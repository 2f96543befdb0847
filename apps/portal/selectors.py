"""Reads for the player's pages. Each reads one player's own rows."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import F, QuerySet

from apps.accounts.models import Player
from apps.core.errors import NotFound
from apps.core.models import Currency
from apps.fairness.models import SeedPair, SeedStatus
from apps.portal.authentication import PagePlayer
from apps.rounds.models import Round
from apps.wallet.models import Wallet, WalletTransaction


def wallet_of(page_player: PagePlayer) -> Wallet:
    """Return the player's wallet in the currency, with its currency and player. Raises NotFound.

    A visitor gets an unsaved one, with the balance of a new player.
    """
    if page_player.is_visitor:
        currency = Currency.objects.get(code=page_player.currency_code)
        return Wallet(player=page_player.player, currency=currency, balance=currency.play_grant)
    wallet = (
        Wallet.objects.filter(player=page_player.player, currency_id=page_player.currency_code)
        .select_related("currency")
        .only("id", "balance", "status", "player", "currency")
        .first()
    )
    if wallet is None:
        raise NotFound("you have no wallet in this currency")
    wallet.player = page_player.player
    return wallet


def wallet_list(player: Player) -> QuerySet[Wallet]:
    """Return the player's wallets, of all currencies."""
    return Wallet.objects.filter(player=player).select_related("currency").order_by("currency_id")


def movement_list(wallet: Wallet) -> QuerySet[WalletTransaction]:
    """Return the wallet's movements, newest first."""
    return WalletTransaction.objects.filter(wallet=wallet).order_by("-number")


def round_list(player: Player) -> QuerySet[Round]:
    """Return the player's rounds of all games, newest first, with the data of a list."""
    return (
        Round.objects.filter(player=player)
        .select_related("currency", "seed_pair", "void")
        .annotate(net=F("payout") - F("stake"))
        .order_by("-started_at", "-id")
    )


def round_get(player: Player, round_id: UUID) -> Round:
    """Return one round of the player. Raises NotFound, for another player's round too."""
    found = round_list(player).filter(pk=round_id).first()
    if found is None:
        raise NotFound("you have no such round")
    return found


@dataclass(frozen=True, slots=True)
class PlayerSeeds:
    """A player's committed seed pairs, and the revealed ones, newest first."""

    active: SeedPair
    next: SeedPair
    revealed: QuerySet[SeedPair]


def seeds_of(player: Player) -> PlayerSeeds:
    """Return the player's seed pairs; the encrypted server seeds are not loaded. Raises NotFound."""
    pairs = SeedPair.objects.filter(player=player).defer("sealed_seed")
    active = pairs.filter(status=SeedStatus.ACTIVE).first()
    following = pairs.filter(status=SeedStatus.NEXT).first()
    if active is None or following is None:
        raise NotFound("you have no seed pair yet")
    return PlayerSeeds(active, following, pairs.filter(status=SeedStatus.REVEALED).order_by("-revealed_at"))


def seed_is_unchosen(player: Player) -> bool:
    """Return whether the player's browser may still propose the first client seed."""
    return SeedPair.objects.filter(
        player=player, status=SeedStatus.ACTIVE, client_seed_chosen=False, next_nonce=0
    ).exists()


def play_totals(player: Player, currency_code: str) -> tuple[int, Decimal]:
    """Return the number of rounds that the player has played in a currency, and their payouts minus stakes, without
    voided ones. Reads the sums of days, and the rounds that are not in the statistics yet."""
    asked: dict[str, Any] = {"player": player.pk, "currency": currency_code, "edge": None}
    with connection.cursor() as cursor:
        cursor.execute(_EDGE_SQL)
        rounds, net, edge = 0, Decimal(0), cursor.fetchone()[0]
        while edge != asked["edge"]:  # a fold has moved it in between
            asked["edge"] = edge
            cursor.execute(_TOTALS_SQL, asked)
            rounds, net, edge = cursor.fetchone()
    return rounds, net


_EDGE_SQL: Final = "SELECT coalesce((SELECT edge FROM statistics_fold), '1970-01-01Z')"
# The edge is a parameter, so that PostgreSQL knows how few rounds are not older.
_TOTALS_SQL: Final = f"""
    SELECT coalesce(sum(n), 0)::bigint, coalesce(sum(net), 0), ({_EDGE_SQL})
    FROM (
        SELECT n - voided_n AS n, payout - stake - voided_payout + voided_stake AS net FROM player_day
        WHERE player_id = %(player)s AND currency_id = %(currency)s AND zone = 'UTC'
        UNION ALL
        SELECT 1, payout - stake FROM game_round
        WHERE player_id = %(player)s AND currency_id = %(currency)s AND how_ended IN ('played', 'auto_completed')
            AND ended_at >= %(edge)s
        UNION ALL
        SELECT -1, held.stake - held.payout
        FROM round_void AS voided JOIN game_round AS held ON held.id = voided.round_id
        WHERE voided.ctime >= %(edge)s AND held.player_id = %(player)s AND held.currency_id = %(currency)s
            AND held.how_ended IN ('played', 'auto_completed')
    ) AS counted
"""  # noqa: S608 - only constant text
