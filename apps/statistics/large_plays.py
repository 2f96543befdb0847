"""Large wins and wagers among the rounds that the fold or a recount adds: each is a significant event, once."""

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.db import connection

from apps.core.models import Currency
from apps.core.money import plain
from apps.events.models import EventKind
from apps.events.services import event_record
from apps.events.thresholds import WAGER, WAGER_DAY, WIN, WIN_DAY, WIN_STAKES, ThresholdMeasure, thresholds_by_currency

_LIMITS: Final = "unnest(%(codes)s::text[], %(win)s::numeric[], %(stakes)s::numeric[], %(wager)s::numeric[])"
_IN_TIME: Final = "held.ended_at >= %(since)s AND held.ended_at < %(until)s"
BY_PEOPLE: Final = "NOT EXISTS (SELECT FROM table_player WHERE player_id = held.player_id AND is_bot)"
"""The condition that a row `held` does not belong to a practice bot."""

_ROUNDS_SQL: Final = f"""
    SELECT held.id, held.partner_id, held.player_id, held.currency_id, held.game, held.stake, held.payout,
        held.payout - held.stake >= large.win
            OR held.stake > 0 AND held.payout - held.stake >= large.stakes * held.stake,
        held.stake >= large.wager
    FROM game_round AS held JOIN {_LIMITS} AS large (code, win, stakes, wager) ON large.code = held.currency_id
    WHERE {_IN_TIME} AND held.how_ended IN ('played', 'auto_completed') AND {BY_PEOPLE} AND (
        held.payout - held.stake >= large.win OR held.stake >= large.wager
        OR held.stake > 0 AND held.payout - held.stake >= large.stakes * held.stake
    )
    ORDER BY held.ended_at, held.id
"""  # noqa: S608 - only constant text
_DAYS_SQL: Final = f"""
    SELECT held.period, held.partner_id, held.player_id, held.currency_id, sum(held.payout - held.stake) AS won,
        sum(held.stake) AS staked, sum(held.payout - held.stake) >= large.win, sum(held.stake) >= large.wager
    FROM player_day AS held JOIN {_LIMITS} AS large (code, win, stakes, wager) ON large.code = held.currency_id
    WHERE held.zone = 'UTC' AND {BY_PEOPLE}
        AND held.period BETWEEN (%(since)s AT TIME ZONE 'UTC')::date AND (%(until)s AT TIME ZONE 'UTC')::date
        AND held.player_id IN (SELECT player_id FROM game_round AS held WHERE {_IN_TIME})
    GROUP BY held.period, held.partner_id, held.player_id, held.currency_id, large.win, large.wager
    HAVING sum(held.payout - held.stake) >= large.win OR sum(held.stake) >= large.wager
    ORDER BY held.period, held.player_id
"""  # noqa: S608 - as above


class LargePlay(NamedTuple):
    """A large round, or a player's large day."""

    kind: EventKind
    subject: str
    once: str
    partner_id: int
    round_id: UUID | None
    amount: Decimal
    currency: str
    told: dict[str, object]


def large_plays_record(*, since: datetime, until: datetime) -> None:
    """Record the large wins and wagers of the rounds that ended from `since` to before `until`, and of their days.

    The caller has added these rounds to `player_day` in its transaction. Practice bots are left out.
    """
    for play in (*_rounds(since, until), *_days(since, until)):
        event_record(
            kind=play.kind,
            component="statistics",
            subject=play.subject,
            partner_id=play.partner_id,
            after=play.told,
            round_id=play.round_id,
            amount=play.amount,
            currency=play.currency,
            once=play.once,
        )


def stakes_won(*, stake: Decimal, payout: Decimal) -> Decimal | None:
    """Return the winnings of a round in stakes, rounded half even; None without a stake."""
    return ((payout - stake) / stake).quantize(Decimal("0.01")) if stake else None


def _rounds(since: datetime, until: datetime) -> Iterator[LargePlay]:
    parameters = {"since": since, "until": until, **_limits(win=WIN, wager=WAGER)}
    for round_id, partner_id, player_id, currency, game, stake, payout, is_win, is_wager in _rows(
        _ROUNDS_SQL, parameters
    ):
        won = stakes_won(stake=stake, payout=payout)
        multiple = "" if won is None else plain(won)
        told = {"player": player_id, "game": game, "stake": stake, "payout": payout, "stakes won": multiple}
        for kind, is_large, amount in (
            (EventKind.LARGE_WIN, is_win, payout - stake),
            (EventKind.LARGE_WAGER, is_wager, stake),
        ):
            if is_large:
                yield LargePlay(
                    kind, f"round {round_id}", f"{kind.value} {round_id}", partner_id, round_id, amount, currency, told
                )


def _days(since: datetime, until: datetime) -> Iterator[LargePlay]:
    parameters = {"since": since, "until": until, **_limits(win=WIN_DAY, wager=WAGER_DAY)}
    for day, partner_id, player_id, currency, won, staked, is_win, is_wager in _rows(_DAYS_SQL, parameters):
        told = {"player": player_id, "day": day, "won": won, "staked": staked}
        for kind, is_large, amount in (
            (EventKind.LARGE_WIN, is_win, won),
            (EventKind.LARGE_WAGER, is_wager, staked),
        ):
            if is_large:
                once = f"{kind.value} {player_id} {currency} {day}"
                yield LargePlay(kind, f"player {player_id}", once, partner_id, None, amount, currency, told)


def _limits(*, win: ThresholdMeasure, wager: ThresholdMeasure) -> dict[str, Any]:
    codes = list(Currency.objects.values_list("code", flat=True))
    return {
        "codes": codes,
        "win": thresholds_by_currency(win, codes),
        "stakes": thresholds_by_currency(WIN_STAKES, codes),
        "wager": thresholds_by_currency(wager, codes),
    }


def _rows(sql: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows
