"""The data that a one-deal game's player page starts with; amounts are plain text."""

from collections.abc import Sequence
from typing import Any, Final

from apps.core.money import plain
from apps.core.number_texts import limits_text
from apps.one_deal.models import ConfigStatus, OneDealOdds, OneDealRecord
from apps.one_deal.one_deal_game import OneDealGame
from apps.rounds.game_spec import TableVisit
from apps.rounds.models import Round

ROAD_ROUNDS: Final = 72
"""The number of rounds on a bead plate of six rows and twelve columns."""


def table(game: OneDealGame, visit: TableVisit) -> dict[str, Any]:
    """Return limits, bets and the last deals.

    `isOpen` is false while the partner does not offer the game in this currency; `last` is the last deal if it is
    recent.
    """
    config = game.config_model._default_manager.filter(
        partner=visit.player.partner_id, currency=visit.currency_code, status=ConfigStatus.ACTIVE
    ).first()
    odds: Sequence[OneDealOdds] = list(config.odds_rows.filter(status=ConfigStatus.ACTIVE)) if config else []
    return {
        "isOpen": bool(odds),
        "decks": config.decks if config else 0,
        "betMin": plain(config.bet_min) if config else "0",
        "betMax": plain(config.bet_max) if config else "0",
        "limits": limits_text(config.bet_min, config.bet_max) if config else "",
        "bets": [
            {
                "gameType": row.game_type,
                "label": game.bet_labels[row.game_type],
                "help": game.bet_help[row.game_type],
                "odds": plain(row.odds),
            }
            for row in sorted(odds, key=lambda row: game.bet_places.index(row.game_type))
        ],
        "road": _road(game, visit),
        "last": _last(game, visit),
    }


def _road(game: OneDealGame, visit: TableVisit) -> list[dict[str, list[str]]]:
    """Return the cards of the player's last deals, oldest first, for the roads."""
    rounds = _rounds(game, visit)[:ROAD_ROUNDS]
    firsts = [next(iter(_records(game, played)), None) for played in rounds]
    return [record.cards for record in reversed(firsts) if record]


def _last(game: OneDealGame, visit: TableVisit) -> dict[str, Any] | None:
    """Return the player's last deal in the form of a bet's answer, if it is recent and not voided."""
    recent = _rounds(game, visit).filter(currency_id=visit.currency_code, ended_at__gte=visit.results_since)
    last = recent.select_related("void").first()
    records = _records(game, last) if last else []
    if last is None or not records or hasattr(last, "void"):
        return None
    return {
        "round_id": str(last.pk),
        **records[0].cards,
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


def _records(game: OneDealGame, played: Round) -> list[OneDealRecord]:
    return sorted(getattr(played, game.records_field).all(), key=lambda record: record.pk)


def _rounds(game: OneDealGame, visit: TableVisit) -> Any:
    rounds = Round.objects.filter(player=visit.player, game=game.id, table_round__isnull=True)
    return rounds.prefetch_related(game.records_field).order_by("-started_at", "-id")
