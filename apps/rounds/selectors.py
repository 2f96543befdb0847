"""Queries that all games share."""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Case, Count, Func, IntegerField, OuterRef, QuerySet, Subquery, When
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import Coalesce

from apps.core.errors import InvalidCurrency
from apps.rounds.explanation import Explanation
from apps.rounds.models import Round
from apps.rounds.registry import game_of, games, table_explanation
from apps.wallet.models import Kind, Wallet, WalletTransaction


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


def bet_count() -> Case:
    """Return the expression that counts the bets of a row of `game_round`, as its game counts them.

    At a live table they are the bets in the seat's record: its hands or bets, side bets, insurance.
    """
    return Case(
        When(table_round__isnull=False, then=_listed("hands") + _listed("sideBets") + _has("insurance")),
        *(When(game=game.id, then=game.bet_count()) for game in games()),
        default=0,
        output_field=IntegerField(),
    )


def _listed(member: str) -> Coalesce:
    length = Func(KeyTransform(member, "detail"), function="jsonb_array_length", output_field=IntegerField())
    return Coalesce(length, 0)


def _has(member: str) -> Case:
    return Case(When(detail__has_key=member, then=1), default=0, output_field=IntegerField())


def debit_count() -> Coalesce:
    """Return the expression for the number of stakes debited for a round."""
    return rows_count(WalletTransaction.objects.filter(kind=Kind.BET), "round_id")


def rows_count(rows: QuerySet[Any], round_column: str) -> Coalesce:
    """Return the expression for the number of `rows` that belong to a row of `game_round`."""
    of_round = rows.filter(**{round_column: OuterRef("pk")}).order_by()
    counted = of_round.values(round_column).annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def players_now(*, partner_id: int, since: datetime, excluded: QuerySet[Any, Any] | None = None) -> dict[str, int]:
    """Return by game how many of the partner's players have begun a round since then. `excluded` ones do not count."""
    rounds = Round.objects.filter(partner_id=partner_id, started_at__gte=since).order_by()
    if excluded is not None:
        rounds = rounds.exclude(player__in=excluded)
    return dict(rounds.values_list("game").annotate(Count("player", distinct=True)))
