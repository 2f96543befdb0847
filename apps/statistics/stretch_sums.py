"""The queries that sum the rounds and movements of a period of time, one for each table of sums
(`apps/statistics/sums.py`).

All are in one WITH list, so that a statement which uses several reads the rounds once. PostgreSQL leaves out those that
a statement does not use.
"""

from functools import cache
from typing import Final

from apps.partners.own_zones import own_zones_sql
from apps.paytables.paytable_rows import MAX_RESULTS
from apps.rounds.bets_sql import IS_WRONG, RESULT_OF_LINE, ROUND_COLUMNS, solo_bets_sql, table_bets_sql
from apps.rounds.registry import games
from apps.statistics.models import SUM_DECIMALS, SUM_DIGITS

_SUM_TYPE: Final = f"numeric({SUM_DIGITS}, {SUM_DECIMALS})"
_IN_TIME: Final = ">= %(since)s AND {at} < %(until)s"
_PLAYED: Final = "FILTER (WHERE NOT is_void)"
_VOIDED: Final = "FILTER (WHERE is_void)"

_ROUND: Final = ", ".join(f"held.{name}" for name in ROUND_COLUMNS)

# Rounds that people have played to their end, at their end; and again at a later void. PostgreSQL estimates the number
# of rows of such a list badly. So no long table without an index is joined with it. An outer join, which omits no row,
# does not make the estimate worse.
_ENDED: Final = f"""
    smallest AS MATERIALIZED (SELECT code, power(10::numeric, -decimals) AS quantum FROM currency),
    ended AS MATERIALIZED (
        SELECT happened.*, smallest.quantum
        FROM (
            SELECT {_ROUND}, held.ended_at AS at, false AS is_void FROM game_round AS held
            WHERE held.ended_at {_IN_TIME.format(at="held.ended_at")}
            UNION ALL
            SELECT {_ROUND}, voided.ctime, true FROM round_void AS voided JOIN game_round AS held
                ON held.id = voided.round_id
            WHERE voided.ctime {_IN_TIME.format(at="voided.ctime")}
        ) AS happened
        LEFT JOIN smallest ON smallest.code = happened.currency_id
        WHERE happened.how_ended IN ('played', 'auto_completed')
            AND NOT EXISTS (SELECT FROM table_player AS bot WHERE bot.player_id = happened.player_id AND bot.is_bot)
    )"""  # noqa: S608 - conditions from this module

_DAY: Final = "({at} AT TIME ZONE zone.name)::date"
_HOUR: Final = "extract(hour FROM {at} AT TIME ZONE zone.name)::smallint"
# The time zones whose days a partner's rows belong to at a moment `at`: UTC, and the partner's own one then.
_IN_ZONE: Final = f"""CROSS JOIN LATERAL (
            SELECT 'UTC' AS name WHERE %(zone)s::text IS NULL OR %(zone)s = 'UTC'
            UNION ALL
            SELECT own.zone FROM ({own_zones_sql("{partner}")}) AS own
            WHERE own.zone <> 'UTC' AND (%(zone)s::text IS NULL OR own.zone = %(zone)s)
                AND {{at}} >= own.begins AND {{at}} < own.ends
        ) AS zone"""  # noqa: S608 - a query of our own module


@cache
def stretch_sums_sql() -> str:
    """Return the WITH list. It has a query named `<table>_sum` for each table, with the table's columns.

    Parameters: `since`, `until`, `zone` (NULL for all) and `luck`, the rows of `luck_stat` as JSON.
    """
    return f"{_ENDED}, {_bets_sql()}, {_play_sql()}, {_rounds_sql()}, {_MOVEMENTS}, {_cards_sql()}, {_LUCK}"


def luck_rounds_sql() -> str:
    """Return the query for the rounds with a luck, with the keys of their rows in `luck_stat`; "" if no game has
    luck."""
    bets = " UNION ALL ".join(
        f"SELECT * FROM ({game.settled_bets_sql}) AS of_game WHERE kind = '{game.luck.kind}'"  # noqa: S608
        for game in games()
        if game.luck is not None
    )
    if not bets:
        return ""
    return f"""
        WITH {_ENDED}
        SELECT bet.id, {_DAY.format(at="bet.at")}::text, zone.name, bet.partner_id, bet.currency_id, bet.game,
            bet.paytable_id, bet.kind, {_channel_sql()}, coalesce(session.device, 'unknown'),
            length(trunc(bet.bet_stake / bet.quantum)::text)
        FROM ({bets}) AS bet
        LEFT JOIN game_session AS session ON session.id = bet.session_id
        {_IN_ZONE.format(partner="bet.partner_id", at="bet.at")}
        WHERE NOT bet.is_void AND bet.paytable_id IS NOT NULL
    """  # noqa: S608 - names and statements of our own modules


def table_results_sql() -> str:
    """Return the query for the results of bets at tables whose chances follow from the cards left in the shoe.

    A row is a bet of all seats of a round: the game, the cards left before the round (NULL for infinite decks), the
    result, and the keys of its row in `luck_stat`. "" if no game has such bets.
    """
    pays = {game.id: game.table_pay for game in games() if game.table_pay is not None}
    known = ", ".join(f"'{game}'" for game, pay in pays.items() if pay.chances_left is not None)
    if not known:
        return ""
    return f"""
        WITH {_ENDED}, together AS (
            SELECT table_round, partner_id, currency_id, game, paytable_id, kind, at, quantum,
                sum(bet_stake) AS stake, min(result) AS result
            FROM ({table_bets_sql()}) AS bet
            WHERE NOT is_void AND paytable_id IS NOT NULL AND NOT is_own_deal AND game IN ({known})
            GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
        )
        SELECT played.shoe, together.result, {_DAY.format(at="together.at")}::text, zone.name, together.partner_id,
            together.currency_id, together.game, together.paytable_id, together.kind, 'table', 'unknown',
            length(trunc(together.stake / together.quantum)::text)
        FROM together JOIN table_round AS played ON played.id = together.table_round
        {_IN_ZONE.format(partner="together.partner_id", at="together.at")}
        ORDER BY together.table_round
    """  # noqa: S608 - names and statements of our own modules


def _bets_sql() -> str:
    """Return the query for the bets: one row for a round and kind, at a table for all seats that bet on the same cards
    together."""
    return f"""
    unit AS (
        SELECT bet.partner_id, bet.currency_id, bet.game, bet.paytable_id, bet.kind, bet.at, bet.is_void, bet.quantum,
            {_channel_sql()} AS door, coalesce(session.device, 'unknown') AS device, bet.bets::bigint AS bets,
            bet.bet_stake AS stake, bet.bet_payout AS payout, bet.result
        FROM ({solo_bets_sql()}) AS bet LEFT JOIN game_session AS session ON session.id = bet.session_id
        UNION ALL
        SELECT partner_id, currency_id, game, paytable_id, kind, at, is_void, quantum, 'table', 'unknown', sum(bets),
            sum(bet_stake), sum(bet_payout), min(result)
        FROM ({table_bets_sql()}) AS bet
        GROUP BY CASE WHEN is_own_deal THEN id ELSE table_round END, 1, 2, 3, 4, 5, 6, 7, 8
    )"""  # noqa: S608 - names and statements of our own modules


def _play_sql() -> str:
    """Return the query for `play_stat`. Equal bets are counted first, and their figures are computed once."""
    return f"""
    alike AS (
        SELECT {_DAY.format(at="unit.at")} AS period, zone.name AS zone, unit.partner_id, unit.currency_id, unit.game,
            unit.paytable_id, unit.kind, unit.door, unit.device, unit.is_void, unit.quantum, unit.bets, unit.stake,
            unit.payout, unit.result, count(*) AS times
        FROM unit {_IN_ZONE.format(partner="unit.partner_id", at="unit.at")}
        GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    ), result AS (
        SELECT line.paytable_id, line.kind, {RESULT_OF_LINE}
        FROM paytable_line AS line, jsonb_array_elements(line.lines) WITH ORDINALITY AS each (value, place)
    ), figured AS (
        SELECT alike.*, result.place, length(trunc(alike.stake / alike.quantum)::text) AS band,
            coalesce(round(alike.stake * line.rtp, 12), 0) AS expected, coalesce({IS_WRONG}, false) AS is_mismatched,
            coalesce(round(alike.stake * alike.stake * line.deviation * line.deviation, 12), 0) AS variance
        FROM alike
        LEFT JOIN paytable_line AS line ON line.paytable_id = alike.paytable_id AND line.kind = alike.kind
        LEFT JOIN result ON result.paytable_id = alike.paytable_id AND result.kind = alike.kind
            AND result.name = alike.result
    ), play_stat_sum AS (
        SELECT 'day' AS level, period, zone, partner_id, currency_id, game, paytable_id, kind, door, device, band,
            {_count(_PLAYED)} AS n, {_count(_PLAYED, "bets * times")} AS bets,
            {_sum("stake * times", _PLAYED)} AS stake, {_sum("payout * times", _PLAYED)} AS payout,
            {_sum("stake * stake * times", _PLAYED)} AS stake_squared,
            {_sum("expected * times", _PLAYED)} AS expected, {_sum("variance * times", _PLAYED)} AS variance,
            {_hits_count()} AS hits, {_count("FILTER (WHERE NOT is_void AND is_mismatched)")} AS mismatched,
            {_count(_VOIDED)} AS voided_n, {_sum("stake * times", _VOIDED)} AS voided_stake,
            {_sum("payout * times", _VOIDED)} AS voided_payout
        FROM figured GROUP BY 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    )"""  # noqa: S608 - names of this module


def _rounds_sql() -> str:
    """Return the queries for `player_day`, `game_day` and `partner_hour`."""
    return f"""
    player_day_sum AS (
        SELECT {_DAY.format(at="ended.at")} AS period, zone.name AS zone, ended.partner_id, ended.player_id,
            ended.currency_id, ended.game, count(*) {_PLAYED} AS n, coalesce(sum(stake) {_PLAYED}, 0) AS stake,
            coalesce(sum(payout) {_PLAYED}, 0) AS payout, count(*) {_VOIDED} AS voided_n,
            coalesce(sum(stake) {_VOIDED}, 0) AS voided_stake, coalesce(sum(payout) {_VOIDED}, 0) AS voided_payout
        FROM ended {_IN_ZONE.format(partner="ended.partner_id", at="ended.at")}
        GROUP BY 1, 2, 3, 4, 5, 6
    ), of_hour AS (
        SELECT {_DAY.format(at="ended.at")} AS period, zone.name AS zone, ended.partner_id, ended.currency_id,
            {_HOUR.format(at="ended.at")} AS hour, count(*) {_PLAYED} AS n,
            {_sum("stake", _PLAYED)} AS stake, {_sum("payout", _PLAYED)} AS payout, count(*) {_VOIDED} AS voided_n,
            {_sum("stake", _VOIDED)} AS voided_stake, {_sum("payout", _VOIDED)} AS voided_payout
        FROM ended {_IN_ZONE.format(partner="ended.partner_id", at="ended.at")}
        GROUP BY 1, 2, 3, 4, 5
    ), bets_of_hour AS (
        SELECT {_DAY.format(at="unit.at")} AS period, zone.name AS zone, unit.partner_id, unit.currency_id,
            {_HOUR.format(at="unit.at")} AS hour, sum(unit.bets)::bigint AS bets
        FROM unit {_IN_ZONE.format(partner="unit.partner_id", at="unit.at")}
        WHERE NOT unit.is_void
        GROUP BY 1, 2, 3, 4, 5
    ), partner_hour_sum AS (
        SELECT period, zone, partner_id, currency_id, hour, n, coalesce(bets, 0) AS bets, stake, payout, voided_n,
            voided_stake, voided_payout
        FROM of_hour LEFT JOIN bets_of_hour USING (period, zone, partner_id, currency_id, hour)
    ), bets_counted AS (
        SELECT period, zone, partner_id, currency_id, game, sum(bets)::bigint AS bets
        FROM play_stat_sum GROUP BY 1, 2, 3, 4, 5
    ), game_day_sum AS (
        SELECT period, zone, partner_id, currency_id, game, n, coalesce(bets_counted.bets, 0) AS bets, stake, payout,
            voided_n, voided_stake, voided_payout
        FROM (
            SELECT period, zone, partner_id, currency_id, game, sum(n)::bigint AS n,
                sum(stake)::{_SUM_TYPE} AS stake, sum(payout)::{_SUM_TYPE} AS payout,
                sum(voided_n)::bigint AS voided_n, sum(voided_stake)::{_SUM_TYPE} AS voided_stake,
                sum(voided_payout)::{_SUM_TYPE} AS voided_payout
            FROM player_day_sum GROUP BY 1, 2, 3, 4, 5
        ) AS of_players
        LEFT JOIN bets_counted USING (period, zone, partner_id, currency_id, game)
    )"""  # noqa: S608 - names of this module


_MOVEMENTS: Final = f"""
    movement_day_sum AS (
        SELECT {_DAY.format(at="movement.ctime")} AS period, zone.name AS zone, movement.house_account_id,
            movement.kind, count(*) AS count, sum(movement.change)::{_SUM_TYPE} AS change
        FROM wallet_transaction AS movement JOIN house_account AS account ON account.id = movement.house_account_id
        {_IN_ZONE.format(partner="account.partner_id", at="movement.ctime")}
        WHERE movement.ctime {_IN_TIME.format(at="movement.ctime")}
        GROUP BY 1, 2, 3, 4
    )"""  # noqa: S608 - names of this module

# Rows that were summed in advance (`apps/statistics/luck.py`).
_LUCK: Final = f"""
    luck_stat_sum AS (
        SELECT given.*
        FROM jsonb_to_recordset(%(luck)s::jsonb) AS given (
            period date, zone text, partner_id bigint, currency_id text, game text, paytable_id bigint, kind text,
            door text, device text, band smallint, n bigint, luck {_SUM_TYPE}, luck_squared {_SUM_TYPE},
            given_away {_SUM_TYPE}, logs bigint[]
        )
    )"""  # noqa: S608 - a type of our own


def _cards_sql() -> str:
    """Return the query for `card_stat`. Cards belong to no partner, so only days in UTC have them."""
    cards = " UNION ALL ".join(
        sql
        for game in games()
        for sql in (game.dealt_cards_sql, game.table_pay.dealt_cards_sql if game.table_pay else "")
        if sql
    )
    return f"""
    card AS ({cards}), card_counted AS (
        SELECT (at AT TIME ZONE 'UTC')::date AS period, game, paytable_id, place, card, count(*) AS count
        FROM card WHERE (%(zone)s::text IS NULL OR %(zone)s = 'UTC') AND card IS NOT NULL AND paytable_id IS NOT NULL
        GROUP BY 1, 2, 3, 4, 5
    ), decks_used AS (
        SELECT id, coalesce(terms ->> 'decks', terms #>> '{{rules,decks}}')::smallint AS decks FROM paytable
    ), card_stat_sum AS (
        SELECT period, 'UTC' AS zone, counted.game, decks_used.decks, place, card, sum(count)::bigint AS count
        FROM card_counted AS counted JOIN decks_used ON decks_used.id = counted.paytable_id
        WHERE decks_used.decks IS NOT NULL
        GROUP BY 1, 3, 4, 5, 6
    )"""  # noqa: S608 - as above


def _channel_sql() -> str:
    by_game = " ".join(
        f"WHEN bet.game = '{game.id}' THEN '{'socket' if game.page.socket_path else 'token'}'" for game in games()
    )
    return f"CASE WHEN bet.session_id IS NULL THEN 'browser' {by_game} END"


def _count(only: str, of: str = "times") -> str:
    return f"coalesce(sum({of}) {only}, 0)::bigint"


def _sum(of: str, only: str) -> str:
    return f"coalesce(sum({of}) {only}, 0)::{_SUM_TYPE}"


def _hits_count() -> str:
    counts = (_count(f"FILTER (WHERE NOT is_void AND place = {place})") for place in range(1, MAX_RESULTS + 1))
    return f"ARRAY[{', '.join(counts)}]"
