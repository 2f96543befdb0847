"""Checks that the ledger agrees with the stake and payout of every finished round."""

from decimal import Decimal
from typing import Final, NamedTuple
from uuid import UUID

from django.db import connection

from apps.core.findings import Check, Finding
from apps.core.money import plain
from apps.core.transactions import transaction_require

_COUNT_SQL: Final = """
    SELECT count(*) FROM game_round
    WHERE how_ended <> '' AND (%(partner)s::bigint IS NULL OR partner_id = %(partner)s)
"""
# Set-based: one pass over the movements of rounds, one over the rounds.
_UNEQUAL_SQL: Final = """
    SELECT coalesce(round.id, booked.round_id), round.id IS NULL,
        coalesce(booked.staked, 0), coalesce(booked.paid, 0), coalesce(booked.refunded, 0), coalesce(booked.taken, 0),
        round.stake, round.payout, void.id IS NOT NULL
    FROM (
        SELECT round_id, wallet_id, coalesce(-sum(change) FILTER (WHERE kind = 'bet'), 0) AS staked,
            coalesce(sum(change) FILTER (WHERE kind = 'reward'), 0) AS paid,
            coalesce(sum(change) FILTER (WHERE kind = 'refund'), 0) AS refunded,
            coalesce(-sum(change) FILTER (WHERE kind = 'adjustment'), 0) AS taken
        FROM wallet_transaction
        WHERE round_id IS NOT NULL AND (
            %(partner)s::bigint IS NULL
            OR house_account_id IN (SELECT id FROM house_account WHERE partner_id = %(partner)s)
        )
        GROUP BY round_id, wallet_id
    ) AS booked
    LEFT JOIN wallet ON wallet.id = booked.wallet_id
    FULL JOIN (
        SELECT * FROM game_round WHERE %(partner)s::bigint IS NULL OR partner_id = %(partner)s
    ) AS round ON round.id = booked.round_id
        AND wallet.player_id = round.player_id AND wallet.currency_id = round.currency_id
    LEFT JOIN round_void AS void ON void.round_id = round.id
    WHERE round.id IS NULL OR round.how_ended <> '' AND (
        coalesce(booked.paid, 0) <> round.payout
        OR coalesce(booked.staked, 0) - coalesce(booked.refunded, 0)
            <> CASE WHEN void.id IS NULL THEN round.stake ELSE 0 END
        OR round.table_round IS NULL AND coalesce(booked.staked, 0) <> round.stake
        OR coalesce(booked.taken, 0) <> CASE WHEN void.id IS NULL THEN 0 ELSE round.payout END
    )
    ORDER BY round.started_at, 1 LIMIT %(at_most)s
"""


class _Unequal(NamedTuple):
    """A row of `_UNEQUAL_SQL`: a round's sums in the ledger and in the round itself."""

    round_id: UUID
    is_unknown: bool
    staked: Decimal
    paid: Decimal
    refunded: Decimal
    taken: Decimal
    stake: Decimal
    payout: Decimal
    is_void: bool


def rounds_ledger_check(*, at_most: int, partner_id: int | None = None) -> Check:
    """Compare the stake and payout of each finished round, of all partners or one, with its player's movements.

    For a voided round the stake must be returned by refunds, and the payout taken by adjustments; its bets and rewards
    stay. At a live table refunds have also returned stakes that were withdrawn while the betting was open. Names
    `at_most` rounds. The caller has opened `one_moment`. `checked` counts finished rounds.
    """
    transaction_require()
    with connection.cursor() as cursor:
        cursor.execute(_COUNT_SQL, {"partner": partner_id})
        (count,) = cursor.fetchone()
        cursor.execute(_UNEQUAL_SQL, {"partner": partner_id, "at_most": at_most})
        unequal = [_Unequal._make(row) for row in cursor.fetchall()]
    return Check(count, [Finding(f"round {row.round_id}", _sentence(row)) for row in unequal])


def _sentence(row: _Unequal) -> str:
    if row.is_unknown:
        return "the ledger has movements of it, and there is no such round of that wallet's player"
    if row.staked != row.stake or row.paid != row.payout:
        return (
            f"the ledger has stakes of {plain(row.staked)} and payouts of {plain(row.paid)},"
            f" the round {plain(row.stake)} and {plain(row.payout)}"
        )
    how = "was voided" if row.is_void else "was not voided"
    return f"it {how}, and the ledger has refunds of {plain(row.refunded)} and takes {plain(row.taken)} back"
