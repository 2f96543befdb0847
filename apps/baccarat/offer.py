"""What a partner offers of baccarat, what the house keeps of it, and what waits for a confirmation. Reads only."""

from fractions import Fraction

from django.urls import reverse

from apps.baccarat.edge import bet_deviation
from apps.baccarat.engine import GameType
from apps.baccarat.guard import edge_of
from apps.baccarat.labels import BET_LABELS
from apps.baccarat.models import BaccaratConfig, BaccaratOddsConfig, ConfigStatus
from apps.core.edges import edge_rounded
from apps.core.viewers import Viewer, in_scope
from apps.rounds.game_spec import WAITING_SHOWN, GameOffer, HouseEdge, WaitingRow


def baccarat_offer(partner_id: int, currency_code: str) -> GameOffer | None:
    """Return the limits of one bet, if the partner offers any bet in the currency."""
    offered = BaccaratConfig.objects.filter(
        partner=partner_id,
        currency=currency_code,
        status=ConfigStatus.ACTIVE,
        odds_rows__status=ConfigStatus.ACTIVE,
    )
    limits = offered.values_list("bet_min", "bet_max").first()
    return GameOffer(bet_min=limits[0], bet_max=limits[1]) if limits else None


def baccarat_house_edges(partner_id: int, currency_code: str) -> list[HouseEdge]:
    """Return what the house keeps of each bet that the partner offers in the currency."""
    rows = BaccaratOddsConfig.objects.filter(
        baccarat_config__partner=partner_id,
        baccarat_config__currency=currency_code,
        baccarat_config__status=ConfigStatus.ACTIVE,
        status=ConfigStatus.ACTIVE,
    )
    return [
        HouseEdge(
            bet=GameType(row.game_type).wire_name,
            label=BET_LABELS[GameType(row.game_type)],
            edge=edge_rounded(edge_of(row.game_type, row.odds, row.baccarat_config.decks)),
            standard_deviation=bet_deviation(GameType(row.game_type), Fraction(row.odds), row.baccarat_config.decks),
        )
        for row in rows.select_related("baccarat_config").order_by("game_type")
    ]


def baccarat_waiting(viewer: Viewer) -> list[WaitingRow]:
    """Return the odds that wait for a confirmation."""
    pending = in_scope(
        BaccaratOddsConfig.objects.filter(status=ConfigStatus.PENDING).select_related("baccarat_config__partner"),
        viewer=viewer,
        partner_path="baccarat_config__partner_id",
    )
    return [
        WaitingRow(
            url=reverse("admin:baccarat_baccaratoddsconfig_change", args=[row.pk]),
            title=f"{row.baccarat_config.partner}: {row}",
            reason=row.reason,
        )
        for row in pending[:WAITING_SHOWN]
    ]
