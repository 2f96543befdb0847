"""The SQL that lists the settled bets of rounds, for the statistics and for the filters of the list of rounds.

It reads a query named `ended` of rounds with the columns of `ROUND_COLUMNS`, `at`, `is_void` and `quantum`
(`apps/statistics/stretch_sums.py`). A round has one bet of a kind; at a table the bets of all seats that share the
cards are one.
"""

from datetime import datetime
from typing import Final

from django.db import connection
from django.db.models import BooleanField, F, Func, TextField, Value
from django.db.models.functions import Cast

from apps.rounds.models import PLAYED_ENDS
from apps.rounds.registry import games

ROUND_COLUMNS: Final = (
    "id", "partner_id", "player_id", "currency_id", "session_id", "game", "table_round", "paytable_id", "stake",
    "payout", "detail", "how_ended",
)  # fmt: skip
_QUANTUM: Final = "power(10::numeric, -currency.decimals) AS quantum"
_ONE_ROUND: Final = f"SELECT held.*, false AS is_void, {_QUANTUM} FROM currency WHERE code = held.currency_id"  # noqa: S608
RESULT_OF_LINE: Final = """each.value ->> 'result' AS name, each.place,
            each.value ->> 'chance' <> '0' AS is_possible,
            split_part(each.value ->> 'payout', '/', 1)::numeric AS paid,
            coalesce(nullif(split_part(each.value ->> 'payout', '/', 2), ''), '1')::numeric AS staked"""
"""The columns of a row of a pay table: `each (value, place)`, an element of its `lines`."""
# The part of each bet's payout below the currency's smallest unit stays with the house.
IS_WRONG: Final = """line.lines <> '[]' AND (
        result.place IS NULL OR NOT result.is_possible
        OR alike.payout * result.staked > alike.stake * result.paid
        OR alike.payout * result.staked <= alike.stake * result.paid - alike.bets * alike.quantum * result.staked
    )"""
"""The condition that the payout of `alike`, the bets of a round and kind, is not that of its pay table's row `line`,
whose result is `result`."""
_PLAYED: Final = ", ".join(f"'{end.value}'" for end in PLAYED_ENDS)


def solo_bets_sql(kind: str | None = None) -> str:
    """Return the query for the bets of solo rounds; with `kind` only that of the games that have it."""
    of_games = [game for game in games() if kind is None or kind in game.bet_labels]
    return " UNION ALL ".join(f"SELECT * FROM ({game.settled_bets_sql}) AS of_game" for game in of_games)  # noqa: S608


def table_bets_sql() -> str:
    """Return the query for the bets of rounds at tables, with whether each seat bets on cards of its own.

    A seat's record lists its hands or bets, side bets and insurance, with amounts in units of the currency. Rounds
    without a pay table have the bets' names at tables, and no results.
    """
    pays = {game.id: game.table_pay for game in games() if game.table_pay is not None}
    kinds = "".join(
        f" WHEN ended.game = '{game}' AND settled.kind = '{name}' THEN '{kind}'"
        for game, pay in pays.items()
        for name, kind in pay.kinds.items()
    )
    shared = ", ".join(f"'{game}'" for game, pay in pays.items() if pay.is_shared_deal)
    return f"""
        SELECT ended.*, CASE WHEN ended.paytable_id IS NULL THEN settled.kind{kinds} ELSE settled.kind END AS kind,
            1 AS bets, (settled.bet ->> 'stake')::numeric AS bet_stake,
            coalesce((settled.bet ->> 'payout')::numeric, 0) AS bet_payout,
            CASE WHEN ended.paytable_id IS NOT NULL THEN settled.result END AS result,
            settled.result IS NOT NULL AND ended.paytable_id IS NOT NULL AND ended.game NOT IN ({shared or "''"})
                AS is_own_deal
        FROM ended CROSS JOIN LATERAL (
            SELECT coalesce(each ->> 'betType', 'hand') AS kind, each AS bet, each ->> 'result' AS result
            FROM jsonb_array_elements(ended.detail -> 'hands') AS each
            UNION ALL
            SELECT each ->> 'bet', each, each ->> 'outcome'
            FROM jsonb_array_elements(ended.detail -> 'sideBets') AS each
            UNION ALL
            SELECT 'insurance', ended.detail -> 'insurance', NULL WHERE ended.detail ? 'insurance'
        ) AS settled
        WHERE ended.table_round IS NOT NULL
    """  # noqa: S608 - names of the games


def bets_begun(since: datetime) -> int:
    """Return the number of bets of the rounds that have begun since then. A seat has no record before its round ends,
    so until then its stakes are counted."""
    sql = f"""
        WITH ended AS (
            SELECT {", ".join(f"held.{name}" for name in ROUND_COLUMNS)}, held.ended_at AS at, false AS is_void,
                {_QUANTUM}
            FROM game_round AS held JOIN currency ON currency.code = held.currency_id
            WHERE held.started_at >= %s
        )
        SELECT (SELECT coalesce(sum(bets), 0) FROM ({solo_bets_sql()}) AS bet)
            + (SELECT count(*) FROM ({table_bets_sql()}) AS bet)
            + (
                SELECT count(*) FROM ended JOIN wallet_transaction AS stake ON stake.round_id = ended.id
                WHERE ended.table_round IS NOT NULL AND ended.at IS NULL AND stake.kind = 'bet'
            )
    """  # noqa: S608 - names of the games
    with connection.cursor() as cursor:
        cursor.execute(sql, [since])
        return int(cursor.fetchone()[0])


def has_bet(
    *, kind: str | None = None, digits: int | None = None, result: str | None = None, is_wrong: bool = False
) -> Func:
    """Return the condition that a row of `game_round` has a bet of this kind, with this number of digits of the stake
    in smallest units, with this result, and with a wrong payout: one that has all of those that are given.

    `kind` and `result` are names of the games. Stake, payout and result are those that the statistics count, so at a
    table they may be of several seats together.
    """
    of_kind = "true" if kind is None else "bet.kind = held.asked_kind"
    asked = _asked(digits, with_result=result is not None, is_wrong=is_wrong)
    of_round = f"""
        SELECT CASE WHEN held.table_round IS NULL THEN EXISTS (
            WITH ended AS ({_ONE_ROUND})
            SELECT FROM (
                SELECT paytable_id, kind, bets, bet_stake AS stake, bet_payout AS payout, quantum, result
                FROM ({solo_bets_sql(kind)}) AS bet WHERE {of_kind}
            ) AS alike WHERE {asked}
        ) ELSE EXISTS (
            WITH ended AS (
                SELECT {", ".join(f"seat.{name}" for name in ROUND_COLUMNS)}, seat.ended_at AS at, false AS is_void,
                    {_QUANTUM}
                FROM game_round AS seat JOIN currency ON currency.code = seat.currency_id
                WHERE seat.table_round = held.table_round AND seat.partner_id = held.partner_id
                    AND seat.currency_id = held.currency_id AND seat.paytable_id IS NOT DISTINCT FROM held.paytable_id
                    AND seat.ended_at IS NOT DISTINCT FROM held.at
                    AND (seat.id = held.id OR seat.how_ended IN ({_PLAYED}))
                    AND NOT EXISTS (SELECT FROM table_player AS bot WHERE bot.player_id = seat.player_id AND bot.is_bot)
            )
            SELECT FROM (
                SELECT paytable_id, kind, sum(bets) AS bets, sum(bet_stake) AS stake, sum(bet_payout) AS payout,
                    min(quantum) AS quantum, min(result) AS result
                FROM ({table_bets_sql()}) AS bet WHERE {of_kind}
                GROUP BY CASE WHEN is_own_deal THEN id ELSE table_round END, paytable_id, kind
                HAVING bool_or(id = held.id)
            ) AS alike WHERE {asked}
        ) END FROM held
    """  # noqa: S608 - names of the games
    return _of_held(of_round, asked_kind=kind, asked_result=result)


def has_card(*, decks: int, place: int, card: str | None) -> Func:
    """Return the condition that a row of `game_round` has this card, or any, at a place of the dealing order from 0,
    dealt from this number of decks, as the statistics count cards."""
    solo = [game.dealt_cards_sql for game in games() if game.dealt_cards_sql]
    tables = [pay.dealt_cards_sql for game in games() if (pay := game.table_pay) is not None and pay.dealt_cards_sql]
    of_card = "dealt.card IS NOT NULL" if card is None else "dealt.card = held.asked_card"
    of_kind = [
        f"EXISTS (WITH ended AS ({_ONE_ROUND}) SELECT FROM ({' UNION ALL '.join(parts)}) AS dealt"
        f" WHERE dealt.place = {place} AND {of_card})"
        for parts in (solo, tables)
    ]
    return _of_held(
        f"""
        SELECT CASE WHEN held.table_round IS NULL THEN {of_kind[0]} ELSE {of_kind[1]} END
            AND {decks} = (
                SELECT coalesce(terms ->> 'decks', terms #>> '{{rules,decks}}')::smallint FROM paytable
                WHERE id = held.paytable_id
            )
        FROM held
        """,  # noqa: S608 - names of the games
        asked_card=card,
    )


def _of_held(sql: str, **asked: str | None) -> Func:
    """Return the condition on a row of `game_round` that the query gives, which reads the row as `held`.

    `asked` are further columns of `held`, whose values are parameters of the statement.
    """
    held = f"(WITH held ({', '.join([*ROUND_COLUMNS, 'at', *asked])}) AS (SELECT %(expressions)s) {sql})"
    row = [F(name) for name in (*ROUND_COLUMNS, "ended_at")]
    values = [Cast(Value(value), TextField()) for value in asked.values()]
    return Func(*row, *values, template=held, output_field=BooleanField())


def _asked(digits: int | None, *, with_result: bool, is_wrong: bool) -> str:
    """Return the condition on `alike`, the bets of a round and kind."""
    conditions = []
    if digits is not None:
        conditions.append(f"length(trunc(alike.stake / alike.quantum)::text) = {digits}")
    if with_result:
        conditions.append("alike.result = held.asked_result")
    if is_wrong:
        conditions.append(f"""EXISTS (
                SELECT FROM paytable_line AS line LEFT JOIN LATERAL (
                    SELECT {RESULT_OF_LINE} FROM jsonb_array_elements(line.lines) WITH ORDINALITY AS each (value, place)
                ) AS result ON result.name = alike.result
                WHERE line.paytable_id = alike.paytable_id AND line.kind = alike.kind AND {IS_WRONG}
            )""")  # noqa: S608 - constants of this module
    return " AND ".join(conditions) or "true"
