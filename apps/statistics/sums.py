"""The statements that add sums of rounds and movements to their tables, recount them, close them, and sum months.

The fold and the recount use the same queries (`apps/statistics/stretch_sums.py`), so a recount differs only if rows
were missed, added twice or altered.
"""

from dataclasses import dataclass
from typing import Final

from apps.paytables.paytable_rows import MAX_RESULTS
from apps.statistics.stretch_sums import stretch_sums_sql

STEPS: Final = 16
"""The number of values of L with sums in `luck_stat`."""


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
HOURS: Final = SumTable(
    "partner_hour",
    ("period", "zone", "partner_id", "currency_id", "hour"),
    ("n", "bets", "stake", "payout", "voided_n", "voided_stake", "voided_payout"),
)
MOVEMENTS: Final = SumTable("movement_day", ("period", "zone", "house_account_id", "kind"), ("count", "change"))
CARDS: Final = SumTable("card_stat", ("period", "zone", "game", "decks", "place", "card"), ("count",))
LUCK: Final = SumTable(
    "luck_stat",
    ("period", "zone", "partner_id", "currency_id", "game", "paytable_id", "kind", "door", "device", "band"),
    ("n", "luck", "luck_squared", "given_away", "logs"),
)
SUM_TABLES: Final = (PLAY, PLAYERS, GAMES, HOURS, MOVEMENTS, CARDS, LUCK)
_ARRAYS: Final = {"hits": MAX_RESULTS, "logs": STEPS}
_MONTH_KEYS: Final = PLAY.keys[2:]
_HOURS_KNOWN: Final = """NOT EXISTS (
            SELECT FROM statistics_day AS closed JOIN django_migrations AS begun
                ON begun.app = 'statistics' AND begun.name = '0009_partner_hour' AND closed.ctime < begun.applied
            WHERE closed.day = %(day)s AND closed.zone = %(zone)s
        )"""
"""The condition that a day was not closed before there were rows of hours."""


def fold_sql() -> str:
    """Return the statement that adds the rounds and movements from `since` to before `until` to all tables, in all
    zones. It is a single statement, so that the rounds are read once for all tables.
    """
    added = ", ".join(f"{table.name}_added AS ({_add_sql(table)})" for table in SUM_TABLES)
    return f"WITH {stretch_sums_sql()}, {added} SELECT"


def differences_sql() -> str:
    """Return the query for the rows of a day in a zone that differ from a recount, of all tables.

    Each has the name of its table and the row's id, which is NULL if the row is missing; at most `at_most` of a table,
    all if it is NULL. It is a single query, so that the rounds are read once for all tables.
    """
    found = " UNION ALL ".join(
        f"(SELECT '{table.name}' AS name, id FROM ({_difference_sql(table)}) AS differing ORDER BY id"  # noqa: S608
        " LIMIT %(at_most)s)"
        for table in SUM_TABLES
    )
    return f"WITH {stretch_sums_sql()} {found} ORDER BY name, id"


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
    """Return the query for rows of months that differ from the sums of their days, and for missing rows."""
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
    return f"ARRAY[{', '.join(f'sum(hits[{place}])::bigint' for place in range(1, MAX_RESULTS + 1))}]"


def _difference_sql(table: SumTable) -> str:
    keys = " AND ".join(f"held.{name} IS NOT DISTINCT FROM fresh.{name}" for name in table.keys)
    fresh = ", ".join(f"fresh.{name}" for name in table.values)
    held = ", ".join(_held(table, name) for name in table.values)
    return f"""
        SELECT held.id FROM {_fresh(table)} AS fresh
        FULL JOIN (
            SELECT *, row_number() OVER (PARTITION BY {", ".join(table.keys)} ORDER BY id) AS copy FROM {table.name}
            WHERE period = %(day)s AND zone = %(zone)s {_of_days(table)} {_known(table)}
        ) AS held ON {_hashable(table)} AND {keys} AND held.copy = 1
        WHERE ROW({fresh}) IS DISTINCT FROM ROW({held})
    """  # noqa: S608 - names of this module


def _fresh(table: SumTable) -> str:
    known = _known(table)
    return f"(SELECT * FROM {table.name}_sum WHERE true {known})" if known else f"{table.name}_sum"  # noqa: S608


def _known(table: SumTable) -> str:
    """Return the condition that a table has all rows of the day."""
    return f"AND {_HOURS_KNOWN}" if table is HOURS else ""


def _held(table: SumTable, name: str) -> str:
    """Return the value of a row that is compared with a recount. A row from before a value was counted has the right
    one."""
    return f"coalesce(held.{name}, fresh.{name})" if (table, name) == (HOURS, "bets") else f"held.{name}"


def _plus(table: SumTable, name: str) -> str:
    if name not in _ARRAYS:
        return f"{table.name}.{name} + excluded.{name}"
    places = (f"{table.name}.{name}[{place}] + excluded.{name}[{place}]" for place in range(1, _ARRAYS[name] + 1))
    return f"ARRAY[{', '.join(places)}]"


def _of_days(table: SumTable) -> str:
    return "AND level = 'day'" if "level" in table.keys else ""


def _hashable(table: SumTable) -> str:
    """Return equalities on keys that are never NULL: a FULL JOIN needs an equality that it can hash."""
    return " AND ".join(f"held.{name} = fresh.{name}" for name in table.keys if name != "paytable_id")


def _sums_sql(table: SumTable) -> str:
    return f"WITH {stretch_sums_sql()} SELECT {', '.join(table.columns)} FROM {table.name}_sum"  # noqa: S608


def _add_sql(table: SumTable) -> str:
    columns = ", ".join(table.columns)
    added = ", ".join(f"{name} = {_plus(table, name)}" for name in table.values)
    return f"""
        INSERT INTO {table.name} ({columns}) SELECT {columns} FROM {table.name}_sum
        ON CONFLICT ({", ".join(table.keys)}) DO UPDATE SET {added}
    """  # noqa: S608 - names of this module
