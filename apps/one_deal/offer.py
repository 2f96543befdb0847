"""Reads of a partner's offer of a one-deal game: its limits, its house edges, and its pending odds.

No bet is checked here: bet_limits.py refuses a stake outside the limits.
"""

from fractions import Fraction
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse

from apps.core.edge_rounding import edge_rounded
from apps.core.staff_scope import Viewer, in_scope
from apps.one_deal.models import ConfigStatus
from apps.one_deal.odds_guard import edge_of
from apps.one_deal.one_deal_game import OneDealGame
from apps.rounds.game_spec import WAITING_SHOWN, GameOffer, HouseEdge, WaitingRow


def offer(game: OneDealGame, partner_id: int, currency_code: str) -> GameOffer | None:
    """Return the limits of a bet, or None if the partner offers no bet in the currency."""
    configs: QuerySet[Any] = game.config_model._default_manager.filter(
        partner=partner_id, currency=currency_code, status=ConfigStatus.ACTIVE
    )
    offered = configs.filter(odds_rows__status=ConfigStatus.ACTIVE)
    limits = offered.values_list("bet_min", "bet_max").first()
    return GameOffer(bet_min=limits[0], bet_max=limits[1]) if limits else None


def house_edges(game: OneDealGame, partner_id: int, currency_code: str) -> list[HouseEdge]:
    """Return the house edge of each bet that the partner offers in the currency."""
    config = game.config_field
    rows = game.odds_model._default_manager.filter(
        **{
            f"{config}__partner": partner_id,
            f"{config}__currency": currency_code,
            f"{config}__status": ConfigStatus.ACTIVE,
        },
        status=ConfigStatus.ACTIVE,
    )
    return [
        HouseEdge(
            bet=row.bet_name,
            label=game.bet_labels[row.game_type],
            edge=edge_rounded(edge_of(game, row.game_type, row.odds, row.limits.decks)),
            standard_deviation=game.deviation(game.bets(row.game_type), Fraction(row.odds), row.limits.decks),
        )
        for row in rows.select_related(config).order_by("game_type")
    ]


def waiting(game: OneDealGame, viewer: Viewer) -> list[WaitingRow]:
    """Return the pending odds."""
    config = game.config_field
    change = f"admin:{game.odds_model._meta.label_lower.replace('.', '_')}_change"
    pending = in_scope(
        game.odds_model._default_manager.filter(status=ConfigStatus.PENDING).select_related(f"{config}__partner"),
        viewer=viewer,
        partner_path=f"{config}__partner_id",
    )
    return [
        WaitingRow(
            url=reverse(change, args=[row.pk]),
            title=f"{row.limits.partner}: {row}",
            reason=row.reason,
        )
        for row in pending[:WAITING_SHOWN]
    ]


def unplayable(game: OneDealGame, viewer: Viewer) -> list[WaitingRow]:
    """Return the active limits without a bet that is offered."""
    change = f"admin:{game.config_model._meta.label_lower.replace('.', '_')}_change"
    configs: QuerySet[Any] = game.config_model._default_manager.filter(status=ConfigStatus.ACTIVE)
    empty = in_scope(
        configs.exclude(odds_rows__status=ConfigStatus.ACTIVE).select_related("partner"),
        viewer=viewer,
        partner_path="partner_id",
    )
    return [
        WaitingRow(
            url=reverse(change, args=[config.pk]),
            title=f"{config.partner}: {config}",
            reason="No bet has active odds: every bet is refused.",
        )
        for config in empty[:WAITING_SHOWN]
    ]
