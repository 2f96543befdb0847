"""Checks that a round's rows agree with each other and with the ledger, the session and the seed pair.

It also checks what triggers and constraints refuse, because an intruder may disable them. `apps.rounds.ledger_check`
compares stakes and payouts; the game checks that cards and payouts follow from the seeds (`Explanation.record_check`).
"""

from collections.abc import Mapping
from typing import Any, Final

from django.apps import apps
from django.db import connection

from apps.core.database_snapshot import text_settle
from apps.core.findings import Check, Finding
from apps.core.transactions import transaction_require
from apps.rounds.bulk_check import IN_SCOPE_SQL, RoundScope
from apps.rounds.models import Round

NEAR: Final = "interval '60 s'"
"""The largest difference between the times of one action: a transaction may have waited for locks in between."""


def _far(time: str, from_time: str) -> str:
    """Return the condition that both times are known and far apart."""
    return f"{time} NOT BETWEEN {from_time} - {NEAR} AND {from_time} + {NEAR}"


_TAKEN_BACK: Final = "(kind = 'refund' AND asked.table_round IS NOT NULL)"
"""At a table a bet may be taken back before the betting closes."""

_ASKED: Final = f"""
    asked AS (
        SELECT id, player_id, currency_id, partner_id, session_id, seed_pair_id, table_round, seat, game, how_ended,
            started_at, ended_at, stake, payout, balance_before, balance_after, detail <> '{{}}' AS has_outcome
        FROM game_round AS held WHERE {IN_SCOPE_SQL}
    )"""
_BOOKED: Final = f"""
    booked AS (
        SELECT movement.round_id, max(movement.number) AS last,
            (array_agg(movement.balance_after - movement.change ORDER BY movement.number))[1] AS before,
            (array_agg(movement.balance_after ORDER BY movement.number DESC))[1] AS after,
            min(movement.ctime) AS first_at, max(movement.ctime) AS last_at
        FROM wallet_transaction AS movement JOIN asked ON asked.id = movement.round_id
        WHERE movement.source_key NOT LIKE '%%:void:%%' OR asked.how_ended = 'voided'
        GROUP BY movement.round_id
    ), acted AS (
        SELECT action.round_id, min(action.number) AS first, max(action.number) AS last, count(*) AS actions,
            (array_agg(action.ctime ORDER BY action.number))[1] AS first_at,
            (array_agg(action.ctime ORDER BY action.number DESC))[1] AS last_at,
            bool_or(
                action.ctime < least(asked.started_at, asked.ended_at) - {NEAR}
                OR action.ctime > greatest(asked.ended_at, CASE WHEN asked.ended_at IS NULL THEN now() END) + {NEAR}
                    AND action.ctime > asked.started_at + {NEAR}
            ) AS is_outside
        FROM round_action AS action JOIN asked ON asked.id = action.round_id
        GROUP BY action.round_id
    )"""

# Each returns the id of a row and a message about what is wrong with it.
_CHECKS: Final[Mapping[str, str]] = {
    "wallet_transaction": """
        SELECT id, CASE WHEN round_id IS NULL THEN 'a ' || kind || ' belongs to a round, and it names none'
            ELSE 'a ' || kind || ' belongs to no round' END
        FROM wallet_transaction
        WHERE (kind IN ('bet', 'reward', 'refund')) = (round_id IS NULL) AND kind <> 'adjustment'
            AND (%(since)s::timestamptz IS NULL OR ctime >= %(since)s)
            AND (%(partner)s::bigint IS NULL
                 OR house_account_id IN (SELECT id FROM house_account WHERE partner_id = %(partner)s))
    """,
    "game_round, open": f"""
        WITH {_ASKED}
        SELECT asked.id, 'it is open, and its stake or payout is not what the ledger has of it'
        FROM asked LEFT JOIN wallet ON wallet.player_id = asked.player_id AND wallet.currency_id = asked.currency_id
        CROSS JOIN LATERAL (
            SELECT coalesce(-sum(change) FILTER (WHERE kind = 'bet' OR {_TAKEN_BACK}), 0) AS staked,
                coalesce(sum(change) FILTER (WHERE kind = 'reward'), 0) AS paid,
                count(*) FILTER (WHERE kind NOT IN ('bet', 'reward') AND NOT {_TAKEN_BACK}) AS others
            FROM wallet_transaction WHERE round_id = asked.id AND wallet_id = wallet.id
        ) AS booked
        WHERE asked.how_ended = '' AND (staked, paid, others) IS DISTINCT FROM (asked.stake, asked.payout, 0)
    """,
    "game_round, end": f"""
        WITH {_ASKED}
        SELECT asked.id, CASE
            WHEN asked.how_ended NOT IN ('', 'played', 'auto_completed', 'voided', 'withdrawn') THEN
                'a round does not end so'
            WHEN asked.how_ended = 'withdrawn' THEN 'its stake was taken back, and it was staked or is no table''s'
            WHEN (asked.how_ended = '') <> (asked.ended_at IS NULL) THEN 'its end and its time of end do not agree'
            WHEN asked.how_ended = 'voided' AND void.id IS NULL THEN 'it ended by a void, and there is none'
            WHEN asked.how_ended = '' AND void.id IS NOT NULL THEN 'it was voided, and is open'
            WHEN (asked.how_ended IN ('', 'voided', 'withdrawn')) AND asked.has_outcome THEN
                'it was not played to its end, and has an outcome'
            ELSE 'it was played, and has no outcome' END
        FROM asked LEFT JOIN round_void AS void ON void.round_id = asked.id
        WHERE asked.how_ended NOT IN ('', 'played', 'auto_completed', 'voided', 'withdrawn')
            OR asked.how_ended = 'withdrawn' AND (asked.table_round IS NULL OR asked.stake + asked.payout <> 0)
            OR (asked.how_ended = '') <> (asked.ended_at IS NULL)
            OR asked.how_ended = 'voided' AND void.id IS NULL OR asked.how_ended = '' AND void.id IS NOT NULL
            OR (asked.how_ended IN ('', 'voided', 'withdrawn')) = asked.has_outcome
    """,
    "game_round, owner": f"""
        WITH {_ASKED}
        SELECT asked.id, CASE
            WHEN account.id IS NULL THEN 'its partner and currency are not those of its player''s wallet'
            WHEN (asked.table_round IS NULL) <> (asked.seat IS NULL) THEN 'its seat and its table do not agree'
            WHEN asked.table_round IS NOT NULL AND asked.seed_pair_id IS NOT NULL THEN
                'it is of a table, and has a seed pair'
            WHEN asked.table_round IS NULL AND pair.id IS NULL THEN 'its seed pair is not one of its player'
            ELSE 'its game session is not one of its player at that game' END
        FROM asked
        LEFT JOIN wallet ON wallet.player_id = asked.player_id AND wallet.currency_id = asked.currency_id
        LEFT JOIN house_account AS account ON account.id = wallet.house_account_id
            AND account.partner_id = asked.partner_id AND account.currency_id = asked.currency_id
        LEFT JOIN seed_pair AS pair ON pair.id = asked.seed_pair_id AND pair.player_id = asked.player_id
        LEFT JOIN game_session AS session ON session.id = asked.session_id AND session.game = asked.game
            AND session.player_id = asked.player_id
        WHERE account.id IS NULL OR (pair.id IS NULL) <> (asked.table_round IS NOT NULL)
            OR asked.table_round IS NOT NULL AND asked.seed_pair_id IS NOT NULL
            OR (asked.table_round IS NULL) <> (asked.seat IS NULL)
            OR asked.session_id IS NOT NULL AND session.id IS NULL
    """,
    "game_round, pay table": f"""
        SELECT held.id, CASE
            WHEN paytable.id IS NULL THEN 'its pay table is none of its game'
            WHEN held.table_round IS NULL AND held.terms ?| array(SELECT jsonb_object_keys(paytable.terms)) THEN
                'its own terms say something else than its pay table'
            ELSE 'its pay table was never on offer to its partner' END
        FROM game_round AS held
        LEFT JOIN paytable ON paytable.id = held.paytable_id AND paytable.game = held.game
        WHERE held.paytable_id IS NOT NULL AND {IN_SCOPE_SQL} AND (
            paytable.id IS NULL
            OR held.table_round IS NULL AND held.terms ?| array(SELECT jsonb_object_keys(paytable.terms))
            OR NOT EXISTS (
                SELECT FROM paytable_use AS used
                WHERE (used.partner_id, used.currency_id, used.game, used.paytable_id)
                    = (held.partner_id, held.currency_id, held.game, held.paytable_id)
                    AND (used.table_id IS NOT NULL) = (held.table_round IS NOT NULL)
            )
        )
    """,
    "game_round, movements": f"""
        WITH {_ASKED}, {_BOOKED}
        SELECT asked.id, CASE
            WHEN booked.before <> asked.balance_before THEN
                'its balance before is ' || asked.balance_before || ', and the ledger has ' || booked.before
            WHEN acted.first <> 1 OR acted.last <> acted.actions THEN 'one of its actions is missing'
            WHEN acted.is_outside THEN 'one of its actions is of a time at which it was not played'
            WHEN {_far("least(booked.first_at, acted.first_at)", "asked.started_at")} THEN
                'it began at ' || asked.started_at || ', and its first movement or action is of '
                || least(booked.first_at, acted.first_at)
            WHEN asked.how_ended IN ('played', 'auto_completed') AND asked.table_round IS NULL
                AND {_far("coalesce(acted.last_at, booked.last_at)", "asked.ended_at")} THEN
                'it ended at ' || asked.ended_at || ', and its last movement or action is of '
                || coalesce(acted.last_at, booked.last_at)
            ELSE 'its balance after is ' || asked.balance_after || ', and the ledger never had that then' END
        FROM asked LEFT JOIN booked ON booked.round_id = asked.id LEFT JOIN acted ON acted.round_id = asked.id
        WHERE booked.before <> asked.balance_before
            OR booked.after <> asked.balance_after AND NOT EXISTS (
                SELECT FROM wallet_transaction AS later JOIN wallet ON wallet.id = later.wallet_id
                WHERE wallet.player_id = asked.player_id AND wallet.currency_id = asked.currency_id
                    AND later.number > booked.last AND later.balance_after = asked.balance_after
                    AND later.ctime <= coalesce(asked.ended_at, now())
            )
            OR acted.first <> 1 OR acted.last <> acted.actions OR acted.is_outside
            OR {_far("coalesce(acted.first_at, booked.first_at)", "asked.started_at")}
            OR asked.how_ended IN ('played', 'auto_completed') AND asked.table_round IS NULL
                AND {_far("coalesce(acted.last_at, booked.last_at)", "asked.ended_at")}
    """,
    "seed_pair, nonces": f"""
        WITH {_ASKED}, pairs AS (SELECT DISTINCT seed_pair_id AS id FROM asked)
        SELECT pair.id, CASE WHEN counted.rounds <> pair.next_nonce OR counted.last <> pair.next_nonce - 1
            THEN 'it counts ' || pair.next_nonce || ' rounds, and ' || counted.rounds || ' up to nonce '
                || counted.last || ' are there'
            ELSE 'its server seed is not the one that it was committed to' END
        FROM pairs JOIN seed_pair AS pair ON pair.id = pairs.id
        CROSS JOIN LATERAL (
            SELECT count(*) AS rounds, max(nonce) AS last FROM game_round WHERE seed_pair_id = pair.id
        ) AS counted
        WHERE counted.rounds <> pair.next_nonce OR counted.last <> pair.next_nonce - 1
            OR pair.server_seed <> ''
                AND encode(sha256(convert_to(pair.server_seed, 'UTF8')), 'hex') <> pair.commitment
    """,
    "round_action": f"""
        SELECT ROW(action.round_id, action.number)::text, 'nobody of that name acts'
        FROM round_action AS action JOIN game_round AS held ON held.id = action.round_id
        WHERE action.acted_by NOT IN ('player', 'platform')
            AND {IN_SCOPE_SQL}
    """,
}
_OF_ROUNDS_SQL: Final = """
    SELECT class.relname, array_agg(attname::text)
    FROM pg_class AS class JOIN pg_attribute ON attrelid = class.oid AND attnum > 0 AND NOT attisdropped
    WHERE class.relnamespace = 'public'::regnamespace AND class.relkind = 'r'
    GROUP BY class.relname
    HAVING 'round_id' = ANY (array_agg(attname::text)) ORDER BY class.relname
"""
_SHARED_COLUMNS: Final = {
    "partner_id": "partner_id", "currency_id": "currency_id", "player_id": "player_id", "user_id": "player_id",
    "seed_pair_id": "seed_pair_id", "nonce": "nonce", "config_version": "config_version",
}  # fmt: skip
"""The columns of a record that repeat the round's: the record's column and the round's."""


def round_rows_check(*, at_most: int, scope: RoundScope) -> Check:
    """Check the rounds in scope. The caller has opened `one_moment`.

    Reports at most `at_most` rows for each fault. `checked` counts rounds.
    """
    transaction_require()
    text_settle()
    asked = scope.parameters() | {"at_most": at_most}
    with connection.cursor() as cursor:
        cursor.execute(f"WITH {_ASKED} SELECT count(*) FROM asked", asked)
        (count,) = cursor.fetchone()
    findings = []
    for name, sql in _CHECKS.items():
        findings += _findings(name.partition(",")[0], sql, asked)
    for table, columns in _tables_of_rounds():
        if {"id", "ctime", "nonce"} <= set(columns):
            findings += _findings(table, _record_sql(table, columns), asked)
        if scope.partner_id is None:
            findings += _findings(table, _orphan_sql(table), asked)
    return Check(count, findings)


def _findings(table: str, sql: str, asked: Mapping[str, Any]) -> list[Finding]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM ({sql}) AS found ORDER BY 1 LIMIT %(at_most)s", asked)
        return [Finding(f"{table} row {key}", what) for key, what in cursor.fetchall()]


def _tables_of_rounds() -> list[tuple[str, list[str]]]:
    """Return the tables whose rows belong to rounds, with their columns. Those with a nonce are a game's records."""
    others = {
        model._meta.db_table
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if field.column == "round_id" and field.is_relation and field.related_model is not Round
    }
    with connection.cursor() as cursor:
        cursor.execute(_OF_ROUNDS_SQL)
        return [(name, columns) for name, columns in cursor.fetchall() if name not in others]


def _orphan_sql(table: str) -> str:
    """Return the check that each row's round exists."""
    return f"""
        SELECT DISTINCT record.round_id, 'there is no such round: a row that is here belongs to it'
        FROM "{table}" AS record LEFT JOIN game_round AS held ON held.id = record.round_id
        WHERE held.id IS NULL AND record.round_id IS NOT NULL
    """


def _record_sql(table: str, columns: list[str]) -> str:
    """Return the check that a record's copies of its round's columns are equal to the round's."""
    shared = {column: of_round for column, of_round in _SHARED_COLUMNS.items() if column in columns}
    differs = [f"record.{column} IS DISTINCT FROM held.{of_round}" for column, of_round in shared.items()]
    cases = [
        f"WHEN {test} THEN 'its {column} is not its round''s'" for test, column in zip(differs, shared, strict=True)
    ]
    far = _far("record.ctime", "held.ended_at")
    return f"""
        SELECT record.id, CASE {" ".join(cases)}
            ELSE 'it is of another time than its round' END
        FROM "{table}" AS record JOIN game_round AS held ON held.id = record.round_id
        WHERE ({" OR ".join(differs)} OR {far})
            AND {IN_SCOPE_SQL}
    """
