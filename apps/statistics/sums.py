"""The SQL that sums rounds and movements: of a stretch of time for the fold, of a whole day for the recount.

Both use the same statements, so a recount differs only if rows were missed, added twice or altered.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

from apps.rounds.registry import games

RESULTS: Final = 8
"""The most results of a bet that are counted one by one."""
STEPS: Final = 16
"""Values of L of which `luck_stat` has sums."""

_IN_TIME: Final = ">= %(since)s AND {at} < %(until)s"

# The time zones whose days a partner's rows belong to at a moment `at`: UTC, and the partner's own on that day.
_ZONES: Final = """
    CROSS JOIN LATERAL (
        SELECT 'UTC' AS name
        UNION
        SELECT own.zone FROM partner_zone AS own
        WHERE own.partner_id = {partner} AND own.from_day <= ({at} AT TIME ZONE own.zone)::date AND NOT EXISTS (
            SELECT FROM partner_zone AS later
            WHERE later.partner_id = own.partner_id AND later.from_day > own.from_day
                AND later.from_day <= ({at} AT TIME ZONE own.zone)::date
        )
    ) AS zone
"""
_IN_ZONE: Final = "(%(zone)s::text IS NULL OR zone.name = %(zone)s)"

# Rounds that people have played to their end, when they ended; and again, when they were voided afterwards.
_ENDED: Final = f"""
    ended AS (
        SELECT held.id, held.partner_id, held.player_id, held.currency_id, held.session_id, held.game, held.table_round,
            held.paytable_id, held.stake, held.payout, happened.at, happened.is_void,
            power(10::numeric, -currency.decimals) AS quantum
        FROM (
            SELECT id, ended_at AS at, false AS is_void FROM game_round
            WHERE ended_at {_IN_TIME.format(at="ended_at")}
            UNION ALL
            SELECT round_id, ctime, true FROM round_void WHERE ctime {_IN_TIME.format(at="ctime")}
        ) AS happened
        JOIN game_round AS held ON held.id = happened.id AND held.how_ended IN ('played', 'auto_completed')
            AND NOT EXISTS (SELECT FROM table_player AS bot WHERE bot.player_id = held.player_id AND bot.is_bot)
        JOIN currency ON currency.code = held.currency_id
    )"""  # noqa: S608 - conditions from this module


@dataclass(frozen=True, slots=True)
class SumTable:
    """One table of sums."""

    name: str
    keys: tuple[str, ...]
    values: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.keys, *self.values)


PLAY: Final = SumTable(
    "play_stat",
    (
        "level", "period", "zone", "partner_id", "currency_id", "game", "paytable_id", "kind", "door", "device", "band",
    ),
    (
        "n", "bets", "stake", "payout", "stake_squared", "expected", "variance", "hits", "mismatched", "voided_n",
        "voided_stake", "voided_payout",
    ),
)  # fmt: skip
PLAYERS: Final = SumTable(
    "player_day",
    ("period", "zone", "partner_id", "player_id", "currency_id", "game"),
    ("n", "stake", "payout", "voided_n", "voided_stake", "voided_payout"),
)
GAMES: Final = SumTable(
    "game_day",
    ("period", "zone", "partner_id", "currency_id", "game"),
    ("n", "bets", "stake", "payout", "voided_n", "voided_stake", "voided_payout"),
)
MOVEMENTS: Final = SumTable("movement_day", ("period", "zone", "house_account_id", "kind"), ("count", "change"))
CARDS: Final = SumTable("card_stat", ("period", "zone", "game", "decks", "place", "card"), ("count",))
LUCK: Final = SumTable(
    "luck_stat",
    ("period", "zone", "partner_id", "currency_id", "game", "paytable_id", "kind", "door", "device", "band"),
    ("n", "luck", "luck_squared", "given_away", "logs"),
)
SUM_TABLES: Final = (PLAY, PLAYERS, GAMES, MOVEMENTS, CARDS, LUCK)
_ARRAYS: Final = {"hits": RESULTS, "logs": STEPS}
_MONTH_KEYS: Final = PLAY.keys[2:]


def fold_sql(table: SumTable) -> str:
    """Return the statement that adds what happened from `since` to before `until`, in all zones."""
    added = ", ".join(f"{name} = {_plus(table, name)}" for name in table.values)
    return f"""
        INSERT INTO {table.name} ({", ".join(table.columns)})
        {_sums_sql(table)}
        ON CONFLICT ({", ".join(table.keys)}) DO UPDATE SET {added}
    """


def difference_sql(table: SumTable) -> str:
    """Return the query for the rows of a day in a zone that a recount of it does not have as they are.

    Each has the row's id, which is NULL if the row is missing.
    """
    keys = " AND ".join(f"held.{name} IS NOT DISTINCT FROM fresh.{name}" for name in table.keys)
    fresh, held = (", ".join(f"{alias}.{name}" for name in table.values) for alias in ("fresh", "held"))
    return f"""
        SELECT held.id, coalesce(held.period, fresh.period)::text
        FROM ({_sums_sql(table)}) AS fresh
        FULL JOIN (
            SELECT *, row_number() OVER (PARTITION BY {", ".join(table.keys)} ORDER BY id) AS copy FROM {table.name}
            WHERE period = %(day)s AND zone = %(zone)s {_of_days(table)}
        ) AS held ON {_hashable(table)} AND {keys} AND held.copy = 1
        WHERE ROW({fresh}) IS DISTINCT FROM ROW({held})
        ORDER BY 1
    """  # noqa: S608 - as above


def recount_sql(table: SumTable) -> tuple[str, str]:
    """Return the statements that replace the rows of a day in a zone by a recount of it."""
    return (
        f"DELETE FROM {table.name} WHERE period = %(day)s AND zone = %(zone)s {_of_days(table)}",  # noqa: S608
        f"INSERT INTO {table.name} ({', '.join(table.columns)}) {_sums_sql(table)}",
    )


def close_sql(table: SumTable) -> str:
    """Return the statement that marks the rows of a day in a zone as final."""
    return (
        f"UPDATE {table.name} SET closed_at = now()"  # noqa: S608
        f" WHERE period = %(day)s AND zone = %(zone)s AND closed_at IS NULL {_of_days(table)}"
    )


def month_sql() -> str:
    """Return the statement that sums a month's closed days: those of `zone` from `first` to `day`."""
    return f"""
        INSERT INTO play_stat (level, period, {", ".join(_MONTH_KEYS)}, {", ".join(PLAY.values)}, closed_at)
        SELECT 'month', %(first)s, {_month_sums()}, now() FROM play_stat
        WHERE level = 'day' AND zone = %(zone)s AND period BETWEEN %(first)s AND %(day)s
        GROUP BY {", ".join(_MONTH_KEYS)}
    """  # noqa: S608 - as above


def month_difference_sql() -> str:
    """Return the query for rows of months that are not the sums of their days, and for missing ones."""
    keys = " AND ".join(f"held.{name} IS NOT DISTINCT FROM fresh.{name}" for name in ("period", *_MONTH_KEYS))
    hashable = " AND ".join(f"held.{name} = fresh.{name}" for name in ("period", *_MONTH_KEYS) if name != "paytable_id")
    fresh, held = (", ".join(f"{alias}.{name}" for name in PLAY.values) for alias in ("fresh", "held"))
    sums = ", ".join(f"{_month_sum(name)} AS {name}" for name in PLAY.values)
    return f"""
        SELECT held.id, coalesce(held.period, fresh.period), coalesce(held.zone, fresh.zone)
        FROM (
            SELECT date_trunc('month', period)::date AS period, {", ".join(_MONTH_KEYS)}, {sums}
            FROM play_stat AS row
            WHERE level = 'day' AND EXISTS (
                SELECT FROM statistics_day AS closed
                WHERE closed.zone = row.zone
                    AND closed.day = (date_trunc('month', row.period) + interval '1 month - 1 day')::date
            )
            GROUP BY 1, {", ".join(_MONTH_KEYS)}
        ) AS fresh
        FULL JOIN (
            SELECT *, row_number() OVER (PARTITION BY {", ".join(PLAY.keys)} ORDER BY id) AS copy FROM play_stat
            WHERE level = 'month'
        ) AS held ON {hashable} AND {keys} AND held.copy = 1
        WHERE ROW({fresh}) IS DISTINCT FROM ROW({held})
        ORDER BY 1
    """  # noqa: S608 - as above


def _month_sums() -> str:
    return ", ".join([*_MONTH_KEYS, *map(_month_sum, PLAY.values)])


def _month_sum(name: str) -> str:
    if name != "hits":
        return f"sum({name})"
    return f"ARRAY[{', '.join(f'sum(hits[{place}])::bigint' for place in range(1, RESULTS + 1))}]"


def _plus(table: SumTable, name: str) -> str:
    if name not in _ARRAYS:
        return f"{table.name}.{name} + excluded.{name}"
    places = (f"{table.name}.{name}[{place}] + excluded.{name}[{place}]" for place in range(1, _ARRAYS[name] + 1))
    return f"ARRAY[{', '.join(places)}]"


def _of_days(table: SumTable) -> str:
    return "AND level = 'day'" if "level" in table.keys else ""


def _hashable(table: SumTable) -> str:
    """Return equalities on keys that are never NULL: a FULL JOIN needs one that it can hash."""
    return " AND ".join(f"held.{name} = fresh.{name}" for name in table.keys if name != "paytable_id")


def _sums_sql(table: SumTable) -> str:
    return {
        "play_stat": _play_sql,
        "player_day": _players_sql,
        "game_day": _games_sql,
        "movement_day": _movements_sql,
        "card_stat": _cards_sql,
        "luck_stat": _luck_sql,
    }[table.name]()


@cache
def _play_sql() -> str:
    bets = _bets_sql()
    played, voided = "FILTER (WHERE NOT is_void)", "FILTER (WHERE is_void)"
    # One row for a round and kind of bet; at a table for all seats that bet on the same cards together.
    return f"""
        WITH {_ENDED}, bet AS ({bets}), unit AS (
            SELECT ended.partner_id, ended.currency_id, ended.game, ended.paytable_id, bet.kind, ended.at,
                ended.is_void, ended.quantum,
                {_channel_sql()} AS door, {_DEVICE} AS device,
                sum(bet.bets) AS bets, sum(bet.stake) AS stake, sum(bet.payout) AS payout, min(bet.result) AS result
            FROM bet JOIN ended ON ended.id = bet.round_id AND ended.is_void = bet.is_void
            LEFT JOIN game_session AS session ON session.id = ended.session_id
            GROUP BY CASE WHEN bet.is_own_deal THEN ended.id ELSE coalesce(ended.table_round, ended.id) END,
                1, 2, 3, 4, 5, 6, 7, 8, 9, 10
        ), result AS (
            SELECT line.paytable_id, line.kind, each.value ->> 'result' AS name, each.place,
                each.value ->> 'chance' <> '0' AS is_possible,
                split_part(each.value ->> 'payout', '/', 1)::numeric AS paid,
                coalesce(nullif(split_part(each.value ->> 'payout', '/', 2), ''), '1')::numeric AS staked
            FROM paytable_line AS line, jsonb_array_elements(line.lines) WITH ORDINALITY AS each (value, place)
        ), figured AS (
            SELECT unit.*, zone.name AS zone, (unit.at AT TIME ZONE zone.name)::date AS period, result.place,
                length(trunc(unit.stake / unit.quantum)::text) AS band,
                coalesce(round(unit.stake * line.rtp, 12), 0) AS expected,
                coalesce({_MISMATCHED}, false) AS is_mismatched,
                coalesce(round(unit.stake * unit.stake * line.deviation * line.deviation, 12), 0) AS variance
            FROM unit
            LEFT JOIN paytable_line AS line ON line.paytable_id = unit.paytable_id AND line.kind = unit.kind
            LEFT JOIN result ON result.paytable_id = unit.paytable_id AND result.kind = unit.kind
                AND result.name = unit.result
            {_ZONES.format(partner="unit.partner_id", at="unit.at")}
            WHERE {_IN_ZONE}
        )
        SELECT 'day' AS level, period, zone, partner_id, currency_id, game, paytable_id, kind, door,
            device, band, count(*) {played} AS n, coalesce(sum(bets) {played}, 0) AS bets,
            coalesce(sum(stake) {played}, 0)::numeric(40, 16) AS stake,
            coalesce(sum(payout) {played}, 0)::numeric(40, 16) AS payout,
            coalesce(sum(stake * stake) {played}, 0)::numeric(40, 16) AS stake_squared,
            coalesce(sum(expected) {played}, 0)::numeric(40, 16) AS expected,
            coalesce(sum(variance) {played}, 0)::numeric(40, 16) AS variance, {_hits_count()} AS hits,
            count(*) FILTER (WHERE NOT is_void AND is_mismatched) AS mismatched,
            count(*) {voided} AS voided_n, coalesce(sum(stake) {voided}, 0)::numeric(40, 16) AS voided_stake,
            coalesce(sum(payout) {voided}, 0)::numeric(40, 16) AS voided_payout
        FROM figured GROUP BY 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    """  # noqa: S608 - names and statements of our own modules


def luck_rounds_sql() -> str:
    """Return the query for the rounds whose luck is asked for, with the keys of their rows in `luck_stat`; "" if no
    game has one."""
    bets = " UNION ALL ".join(
        f"SELECT * FROM ({game.settled_bets_sql}) AS of_game WHERE kind = '{game.luck.kind}'"  # noqa: S608
        for game in games()
        if game.luck is not None
    )
    if not bets:
        return ""
    return f"""
        WITH {_ENDED}, bet AS ({bets})
        SELECT ended.id, (ended.at AT TIME ZONE zone.name)::date::text, zone.name, ended.partner_id, ended.currency_id,
            ended.game, ended.paytable_id, bet.kind, {_channel_sql()}, {_DEVICE},
            length(trunc(bet.stake / ended.quantum)::text)
        FROM bet JOIN ended ON ended.id = bet.round_id AND ended.is_void = bet.is_void
        LEFT JOIN game_session AS session ON session.id = ended.session_id
        {_ZONES.format(partner="ended.partner_id", at="ended.at")}
        WHERE {_IN_ZONE} AND NOT ended.is_void AND ended.paytable_id IS NOT NULL
    """  # noqa: S608 - names and statements of our own modules


@cache
def _luck_sql() -> str:
    """Return the statement for rows that were summed up before: the parameter `luck` has them as JSON."""
    return """
        SELECT given.*
        FROM jsonb_to_recordset(%(luck)s::jsonb) AS given (
            period date, zone text, partner_id bigint, currency_id text, game text, paytable_id bigint, kind text,
            door text, device text, band smallint, n bigint, luck numeric(40, 16), luck_squared numeric(40, 16),
            given_away numeric(40, 16), logs bigint[]
        )
    """


def _channel_sql() -> str:
    by_game = " ".join(
        f"WHEN ended.game = '{game.id}' THEN '{'socket' if game.page.socket_path else 'token'}'" for game in games()
    )
    return (
        "CASE WHEN ended.table_round IS NOT NULL THEN 'table' WHEN ended.session_id IS NULL THEN 'browser'"
        f" {by_game} END"
    )


_DEVICE: Final = "CASE WHEN ended.table_round IS NOT NULL THEN 'unknown' ELSE coalesce(session.device, 'unknown') END"


def _bets_sql() -> str:
    """Return the query for the bets of ended rounds."""
    solo = " UNION ALL ".join(game.settled_bets_sql for game in games())
    return f"SELECT solo.*, false AS is_own_deal FROM ({solo}) AS solo UNION ALL {_table_bets()}"  # noqa: S608


@cache
def _games_sql() -> str:
    played, voided = "FILTER (WHERE NOT is_void)", "FILTER (WHERE is_void)"
    return f"""
        WITH {_ENDED}, bet AS ({_bets_sql()}), counted AS (
            SELECT round_id, sum(bets) AS bets FROM bet WHERE NOT is_void GROUP BY round_id
        )
        SELECT (ended.at AT TIME ZONE zone.name)::date AS period, zone.name AS zone, partner_id, currency_id, game,
            count(*) {played} AS n, coalesce(sum(counted.bets) {played}, 0)::bigint AS bets,
            coalesce(sum(stake) {played}, 0)::numeric(40, 16) AS stake,
            coalesce(sum(payout) {played}, 0)::numeric(40, 16) AS payout, count(*) {voided} AS voided_n,
            coalesce(sum(stake) {voided}, 0)::numeric(40, 16) AS voided_stake,
            coalesce(sum(payout) {voided}, 0)::numeric(40, 16) AS voided_payout
        FROM ended LEFT JOIN counted ON counted.round_id = ended.id
        {_ZONES.format(partner="ended.partner_id", at="ended.at")}
        WHERE {_IN_ZONE}
        GROUP BY 1, 2, 3, 4, 5
    """  # noqa: S608 - names and statements of our own modules


@cache
def _players_sql() -> str:
    played, voided = "FILTER (WHERE NOT is_void)", "FILTER (WHERE is_void)"
    return f"""
        WITH {_ENDED}
        SELECT (ended.at AT TIME ZONE zone.name)::date AS period, zone.name AS zone, partner_id, player_id, currency_id,
            game, count(*) {played} AS n, coalesce(sum(stake) {played}, 0) AS stake,
            coalesce(sum(payout) {played}, 0) AS payout, count(*) {voided} AS voided_n,
            coalesce(sum(stake) {voided}, 0) AS voided_stake, coalesce(sum(payout) {voided}, 0) AS voided_payout
        FROM ended {_ZONES.format(partner="ended.partner_id", at="ended.at")}
        WHERE {_IN_ZONE}
        GROUP BY 1, 2, 3, 4, 5, 6
    """  # noqa: S608 - as above


@cache
def _movements_sql() -> str:
    return f"""
        SELECT (movement.ctime AT TIME ZONE zone.name)::date AS period, zone.name AS zone, movement.house_account_id,
            movement.kind, count(*) AS count, sum(movement.change)::numeric(40, 16) AS change
        FROM wallet_transaction AS movement JOIN house_account AS account ON account.id = movement.house_account_id
        {_ZONES.format(partner="account.partner_id", at="movement.ctime")}
        WHERE movement.ctime {_IN_TIME.format(at="movement.ctime")} AND {_IN_ZONE}
        GROUP BY 1, 2, 3, 4
    """  # noqa: S608 - as above


@cache
def _cards_sql() -> str:
    """Return the statement that counts faces. Cards belong to no partner, so only days in UTC have them."""
    cards = " UNION ALL ".join(
        sql
        for game in games()
        for sql in (game.dealt_cards_sql, game.table_pay.dealt_cards_sql if game.table_pay else "")
        if sql
    )
    return f"""
        WITH {_ENDED}, card AS ({cards})
        SELECT (card.at AT TIME ZONE 'UTC')::date AS period, 'UTC' AS zone, card.game,
            coalesce(paytable.terms ->> 'decks', paytable.terms #>> '{{rules,decks}}')::smallint AS decks,
            card.place, card.card, count(*) AS count
        FROM card JOIN paytable ON paytable.id = card.paytable_id
        WHERE (%(zone)s::text IS NULL OR %(zone)s = 'UTC') AND card.card IS NOT NULL
            AND coalesce(paytable.terms ->> 'decks', paytable.terms #>> '{{rules,decks}}') IS NOT NULL
        GROUP BY 1, 3, 4, 5, 6
    """  # noqa: S608 - as above


# The part of a payout below the currency's smallest unit stays with the house, of each bet.
_MISMATCHED: Final = """
    line.lines <> '[]' AND (
        result.place IS NULL OR NOT result.is_possible
        OR unit.payout * result.staked > unit.stake * result.paid
        OR unit.payout * result.staked <= unit.stake * result.paid - unit.bets * unit.quantum * result.staked
    )"""


def _hits_count() -> str:
    counts = (f"count(*) FILTER (WHERE NOT is_void AND place = {place})" for place in range(1, RESULTS + 1))
    return f"ARRAY[{', '.join(counts)}]"


def _table_bets() -> str:
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
        SELECT ended.id AS round_id, ended.is_void,
            CASE WHEN ended.paytable_id IS NULL THEN settled.kind{kinds} ELSE settled.kind END AS kind,
            1 AS bets, (settled.bet ->> 'stake')::numeric AS stake,
            coalesce((settled.bet ->> 'payout')::numeric, 0) AS payout,
            CASE WHEN ended.paytable_id IS NOT NULL THEN settled.result END AS result,
            settled.result IS NOT NULL AND ended.paytable_id IS NOT NULL AND ended.game NOT IN ({shared or "''"})
                AS is_own_deal
        FROM ended JOIN game_round AS held ON held.id = ended.id
        CROSS JOIN LATERAL (
            SELECT coalesce(each ->> 'betType', 'hand') AS kind, each AS bet, each ->> 'result' AS result
            FROM jsonb_array_elements(held.detail -> 'hands') AS each
            UNION ALL
            SELECT each ->> 'bet', each, each ->> 'outcome'
            FROM jsonb_array_elements(held.detail -> 'sideBets') AS each
            UNION ALL
            SELECT 'insurance', held.detail -> 'insurance', NULL WHERE held.detail ? 'insurance'
        ) AS settled
        WHERE ended.table_round IS NOT NULL
    """  # noqa: S608 - names of the games
