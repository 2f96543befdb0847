"""Queries that all games share."""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, QuerySet

from apps.core.errors import InvalidCurrency
from apps.rounds.explanation import Explanation
from apps.rounds.models import Round
from apps.rounds.registry import game_of, table_explanation
from apps.wallet.models import Wallet


def balance_read(*, player_id: int, currency_code: str) -> Decimal:
    """Return the balance of the player's wallet in units of its currency. Raises InvalidCurrency."""
    balance: Decimal | None = (
        Wallet.objects.filter(player_id=player_id, currency_id=currency_code).values_list("balance", flat=True).first()
    )
    if balance is None:
        raise InvalidCurrency(f"the player has no wallet in {currency_code}")
    return balance


def round_explain(played: Round) -> Explanation:
    """Return the explanation of a round of any game, solo or at a table; its currency should be read with it."""
    if played.table_round is not None:
        return table_explanation()(played)
    return game_of(played.game).explanation(played)


def rounds_explain(rounds: Iterable[Round], *, hands_only: bool = False) -> list[Explanation]:
    """Return the explanations of rounds with one or two queries for each game."""
    explained = [round_explain(played) for played in rounds]
    for kind in {type(each) for each in explained}:
        of_game = [each.played for each in explained if type(each) is kind]
        kind.read_with(of_game, hands_only=hands_only)
    return explained


def players_now(*, partner_id: int, since: datetime, excluded: QuerySet[Any, Any] | None = None) -> dict[str, int]:
    """Return by game how many of the partner's players have begun a round since then. `excluded` ones do not count."""
    rounds = Round.objects.filter(partner_id=partner_id, started_at__gte=since).order_by()
    if excluded is not None:
        rounds = rounds.exclude(player__in=excluded)
    return dict(rounds.values_list("game").annotate(Count("player", distinct=True)))
