"""What the player's baccarat page is laid with, as it holds now; amounts as plain text."""

from collections.abc import Sequence
from typing import Any, Final

from apps.baccarat.apps import GAME_ID
from apps.baccarat.engine import GameType
from apps.baccarat.labels import BET_HELP, BET_LABELS, BET_PLACES
from apps.baccarat.models import BaccaratConfig, BaccaratOddsConfig, ConfigStatus
from apps.core.money import grouped, plain
from apps.rounds.game_spec import TableVisit
from apps.rounds.models import Round

ROAD_ROUNDS: Final = 72
"""How many of the last rounds a bead plate of six rows and twelve columns shows."""


def baccarat_table(visit: TableVisit) -> dict[str, Any]:
    """Return limits, bets and the last deals.

    `isOpen` is false while the partner offers no baccarat in this currency; `last` is the last deal, for a while.
    """
    config = BaccaratConfig.objects.filter(
        partner=visit.player.partner_id, currency=visit.currency_code, status=ConfigStatus.ACTIVE
    ).first()
    odds: Sequence[BaccaratOddsConfig] = list(config.odds_rows.filter(status=ConfigStatus.ACTIVE)) if config else []
    return {
        "isOpen": bool(odds),
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
            for row in sorted(odds, key=lambda row: BET_PLACES.index(row.game_type))
        ],
        "road": _road(visit),
        "last": _last(visit),
    }


def _road(visit: TableVisit) -> list[dict[str, list[str]]]:
    """Return the cards of the player's last deals, oldest first: what bead plate and big road are drawn from."""
    rounds = _rounds(visit)[:ROAD_ROUNDS]
    cards = [next(iter(played.baccarat_records.all()), None) for played in rounds]
    return [{"player": record.player_cards, "banker": record.banker_cards} for record in reversed(cards) if record]


def _last(visit: TableVisit) -> dict[str, Any] | None:
    """Return the player's last deal in the form of a bet's answer, if it is not too old and was not voided."""
    recent = _rounds(visit).filter(currency_id=visit.currency_code, ended_at__gte=visit.results_since)
    last = recent.select_related("void").first()
    records = sorted(last.baccarat_records.all(), key=lambda record: record.pk) if last else []
    if last is None or not records or hasattr(last, "void"):
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


def _rounds(visit: TableVisit) -> Any:
    rounds = Round.objects.filter(player=visit.player, game=GAME_ID)
    return rounds.prefetch_related("baccarat_records").order_by("-started_at", "-id")
