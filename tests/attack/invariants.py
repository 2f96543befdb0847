"""Invariants of the tables: SQL of the tests checks them, and every ended round is dealt again."""

from typing import Final

import psycopg
from psycopg import sql

from tests.attack.deployment import Deployment
from tests.attack.report import Part

RULES: Final = {
    "a wallet is not what its ledger gives": """
        SELECT w.id, w.balance, w.row_count, sum(t.change), count(t.id)
        FROM wallet w LEFT JOIN wallet_transaction t ON t.wallet_id = w.id GROUP BY w.id
        HAVING w.balance <> coalesce(sum(t.change), 0) OR w.row_count <> count(t.id) OR w.balance < 0
    """,
    "a movement does not follow the one before it": """
        SELECT wallet_id, number FROM (
            SELECT *, sum(change) OVER before AS running, row_number() OVER before AS place FROM wallet_transaction
            WINDOW before AS (PARTITION BY wallet_id ORDER BY number)
        ) AS t WHERE running <> balance_after OR place <> number OR balance_after < 0
    """,
    "a movement's two legs are not in one partner's accounts of one currency": """
        SELECT t.id FROM wallet_transaction t
        LEFT JOIN wallet w ON w.id = t.wallet_id LEFT JOIN player p ON p.id = w.player_id
        LEFT JOIN house_account h ON h.id = t.house_account_id
        WHERE h.id IS DISTINCT FROM w.house_account_id OR h.partner_id IS DISTINCT FROM p.partner_id
            OR h.currency_id IS DISTINCT FROM w.currency_id
    """,
    "the wallets and the house account opposite do not sum to zero": """
        SELECT h.id, opposite.total, held.total FROM house_account h
        LEFT JOIN (SELECT house_account_id, sum(change) AS total FROM wallet_transaction GROUP BY 1) AS opposite
            ON opposite.house_account_id = h.id
        LEFT JOIN (SELECT house_account_id, sum(balance) AS total FROM wallet GROUP BY 1) AS held
            ON held.house_account_id = h.id
        WHERE coalesce(opposite.total, 0) <> coalesce(held.total, 0)
    """,
    "a key moved money twice": "SELECT source_key FROM wallet_transaction GROUP BY 1 HAVING count(*) > 1",
    "a key has two answers": "SELECT scope, key FROM stored_answer GROUP BY 1, 2 HAVING count(*) > 1",
    "a round's stake or payout is not what its player's wallet moved": """
        SELECT r.id, r.stake, moved.staked, r.payout, moved.paid FROM game_round r
        LEFT JOIN (
            SELECT t.round_id, w.player_id, w.currency_id,
                coalesce(-sum(change) FILTER (WHERE kind = 'bet'), 0) AS staked,
                coalesce(sum(change) FILTER (WHERE kind = 'reward'), 0) AS paid,
                coalesce(sum(change) FILTER (WHERE kind IN ('refund', 'adjustment')), 0) AS undone
            FROM wallet_transaction t JOIN wallet w ON w.id = t.wallet_id GROUP BY 1, 2, 3
        ) AS moved ON moved.round_id = r.id AND moved.player_id = r.player_id AND moved.currency_id = r.currency_id
        LEFT JOIN round_void v ON v.round_id = r.id
        WHERE coalesce(moved.staked, 0) <> r.stake OR coalesce(moved.paid, 0) <> r.payout
            OR coalesce(moved.undone, 0) <> CASE WHEN v.id IS NULL THEN 0 ELSE r.stake - r.payout END
            OR (r.how_ended NOT IN ('', 'voided') AND r.balance_after <> r.balance_before - r.stake + r.payout)
    """,
    "a movement belongs to no round of its wallet's player": """
        SELECT t.id FROM wallet_transaction t JOIN wallet w ON w.id = t.wallet_id
        LEFT JOIN game_round r ON r.id = t.round_id AND r.player_id = w.player_id AND r.currency_id = w.currency_id
        WHERE (t.kind IN ('bet', 'reward') OR t.round_id IS NOT NULL) AND r.id IS NULL
    """,
    "a round is open without a stake": "SELECT id FROM game_round WHERE how_ended = '' AND stake <= 0",
    "a player has two open rounds of a game": """
        SELECT player_id, game FROM game_round WHERE how_ended = '' GROUP BY 1, 2 HAVING count(*) > 1
    """,
    "a round is another partner's than its player, or another player's than its seeds": """
        SELECT r.id FROM game_round r JOIN player p ON p.id = r.player_id JOIN seed_pair s ON s.id = r.seed_pair_id
        WHERE p.partner_id <> r.partner_id OR s.player_id <> r.player_id
    """,
    "the nonces of a seed pair have gaps or doubles": """
        SELECT s.id, s.next_nonce, count(r.id) FROM seed_pair s LEFT JOIN game_round r ON r.seed_pair_id = s.id
        GROUP BY s.id HAVING s.next_nonce <> count(r.id) OR count(DISTINCT r.nonce) <> count(r.id)
            OR coalesce(max(r.nonce), -1) <> count(r.id) - 1 OR coalesce(min(r.nonce), 0) <> 0
    """,
    "a player has not one seed pair that deals and one next": """
        SELECT p.id FROM player p LEFT JOIN seed_pair s ON s.player_id = p.id GROUP BY 1
        HAVING count(*) FILTER (WHERE s.status = 'active') <> 1 OR count(*) FILTER (WHERE s.status = 'next') <> 1
    """,
    "a revealed seed is not the one committed to": """
        SELECT id FROM seed_pair WHERE (server_seed <> '') <> (status = 'revealed')
            OR (server_seed <> '' AND encode(sha256(convert_to(server_seed, 'UTF8')), 'hex') <> commitment)
    """,
    "a seed was revealed while a round that it deals was open": """
        SELECT r.id FROM game_round r JOIN seed_pair s ON s.id = r.seed_pair_id
        WHERE s.status = 'revealed' AND coalesce(r.ended_at, 'infinity') > s.revealed_at + interval '1 second'
    """,
    "a wallet was refilled twice a day, to another balance, or with money that is not for play": """
        SELECT t.wallet_id, (t.ctime AT TIME ZONE 'UTC')::date FROM wallet_transaction t
        JOIN wallet w ON w.id = t.wallet_id JOIN currency c ON c.code = w.currency_id WHERE t.kind = 'refill'
        GROUP BY 1, 2 HAVING count(*) > 1 OR NOT bool_and(c.is_play AND t.balance_after = c.play_grant)
    """,
}
"""The rows that break each rule, by the rule's description."""

ENDED: Final = {
    "game_round": "how_ended <> ''",
    "seed_pair": "status = 'revealed'",
    "blackjack_round": "round_id IN (SELECT id FROM game_round WHERE how_ended <> '')",
    "stored_answer": "true",
}
"""Conditions from which on a row of a table must not change, beside the tables that are append-only."""

_WRITTEN_ONCE: Final = """
    SELECT DISTINCT c.relname FROM pg_trigger t
    JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc f ON f.oid = t.tgfoid
    WHERE f.proname = 'change_refuse' AND t.tgtype & 16 > 0
"""
"""The append-only tables: a trigger refuses UPDATE."""


class Invariants:
    """Checks all tables after each part."""

    def __init__(self, deployment: Deployment) -> None:
        self._deployment = deployment
        self._checked: set[object] = set()
        with deployment.database() as link:
            link.execute("CREATE SCHEMA IF NOT EXISTS attack")
            link.execute("CREATE TABLE IF NOT EXISTS attack.kept (name text, digest text, UNIQUE (name, digest))")

    def check(self, part: Part) -> None:
        """Add a fault to the part for each broken invariant."""
        with self._deployment.database() as link:
            for fault in (*broken_rules(link), *self._changed_rows(link)):
                part.fault(fault)
        for fault in self._unlike_rounds():
            part.fault(fault)

    def _changed_rows(self, link: psycopg.Connection) -> list[str]:
        faults = []
        names = dict.fromkeys((row[0] for row in link.execute(_WRITTEN_ONCE)), "true") | ENDED
        for name, condition in names.items():
            digests = sql.SQL("SELECT md5(t::text) AS digest FROM {} AS t WHERE {}").format(
                sql.Identifier(name), sql.SQL(condition)
            )
            gone = link.execute(
                sql.SQL("SELECT count(*) FROM (SELECT digest FROM attack.kept WHERE name = %s EXCEPT {}) AS g").format(
                    digests
                ),
                [name],
            ).fetchone()
            if gone is not None and gone[0]:
                faults.append(f"{gone[0]} rows of {name} that may not change were changed or removed")
            link.execute(
                sql.SQL("INSERT INTO attack.kept SELECT %s, digest FROM ({}) AS d ON CONFLICT DO NOTHING").format(
                    digests
                ),
                [name],
            )
        return faults

    def _unlike_rounds(self) -> list[str]:
        """Deal every round again that has ended since the last check."""
        from django.db import connections

        from apps.office.verification.rounds import round_check
        from apps.rounds.models import Round, RoundEnd

        connections.close_all()  # PostgreSQL may have been killed since the last use
        faults = []
        ended = Round.objects.exclude(how_ended__in=[RoundEnd.OPEN, RoundEnd.VOIDED])
        for found in ended.select_related("seed_pair", "currency").iterator():
            if found.pk not in self._checked:
                self._checked.add(found.pk)
                faults += [f"round {found.pk}: {fault}" for fault in round_check(found).faults]
        return faults


def broken_rules(link: psycopg.Connection) -> list[str]:
    """Return each broken rule with the first rows that break it."""
    faults = []
    for what, query in RULES.items():
        rows = link.execute(query).fetchall()
        if rows:
            shown = ", ".join(" ".join(map(str, row)) for row in rows[:3])
            faults.append(f"{what}: {len(rows)} of them, such as {shown}")
    return faults
