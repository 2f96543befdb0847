"""A partner's queries about its own players; another partner's reference is treated as unknown."""

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from django.db.models import Q, QuerySet

from apps.accounts.models import Player
from apps.core.errors import NotFound
from apps.partners.models import Partner
from apps.rounds.models import Round
from apps.statistics.ggr import Revenue, revenue_sums, revenue_totals
from apps.statistics.models import FoldState, GameDay
from apps.statistics.own_days import own_days_of
from apps.statistics.ranges import UTC_ZONE
from apps.wallet.models import Wallet

_REFERENCE: Final = re.compile(r"[\x21-\x7e]{1,64}")


def player_get(*, partner: Partner, reference: str) -> Player:
    """Return the partner's player with the reference. Raises NotFound."""
    player = None
    if _REFERENCE.fullmatch(reference):
        player = Player.objects.select_related("partner").filter(partner=partner, reference=reference).first()
    if player is None:
        raise NotFound("player: there is no such player", field="player")
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
class Summary:
    """Revenue by day, game and currency, and the sums by currency."""

    rows: list[Revenue]
    totals: list[Revenue]
    as_of: datetime | None
    """The summary contains all that ended before this time; None before the first fold."""


def summary(
    *, partner: Partner, first_day: date, last_day: date, game: str | None = None, own_days: bool = False
) -> Summary:
    """Return the partner's revenue of those days, both included, from the statistics.

    An ended round counts on the day it ended. Days are UTC's, or with `own_days` those of the time zone that the
    partner had then.
    """
    rows = GameDay.objects.filter(
        own_days_of(partner) if own_days else Q(zone=UTC_ZONE),
        partner=partner,
        period__gte=first_day,
        period__lte=last_day,
    )
    if game is not None:
        rows = rows.filter(game=game)
    found = revenue_sums(rows, ("period", "game"))
    state = FoldState.objects.filter(pk=1).first()
    return Summary(found, revenue_totals(found), None if state is None else state.edge)
