"""Checks the ledger: computes every wallet's chain again from its first movement.

An intruder with all rights on the database may disable triggers and constraints, so this checks their rules too.
"""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import groupby
from operator import attrgetter
from typing import Final, NamedTuple

from django.db import connection

from apps.core.count_texts import counted
from apps.core.database_snapshot import rows_stream
from apps.core.findings import Check, Finding
from apps.core.transactions import transaction_require
from apps.wallet.chain import EMPTY_HEAD, Movement, movement_hash
from apps.wallet.models import Kind

# A wallet belongs to a partner by its house account or by that of any of its movements. So a wallet that was removed or
# moved to another partner is still checked.
_IN_SCOPE: Final = """(%(partner)s::bigint IS NULL OR {wallet} IN (
        SELECT held.id FROM wallet AS held JOIN house_account AS account ON account.id = held.house_account_id
        WHERE account.partner_id = %(partner)s
        UNION
        SELECT moved.wallet_id FROM wallet_transaction AS moved
        JOIN house_account AS account ON account.id = moved.house_account_id WHERE account.partner_id = %(partner)s
    ))"""
_MOVEMENTS_SQL: Final = f"""
    SELECT wallet_id, number, id,
        CASE WHEN isfinite(ctime) THEN (extract(epoch FROM ctime) * 1000000)::bigint END,
        house_account_id, kind, change, balance_after, round_id, record_id, source_key, reason, hash
    FROM wallet_transaction WHERE {_IN_SCOPE.format(wallet="wallet_id")} ORDER BY wallet_id, number, id
"""  # noqa: S608 - only constant text
_HOLDERS_SQL: Final = f"""
    SELECT id, house_account_id, balance, row_count, head,
        coalesce((SELECT is_play FROM currency WHERE code = wallet.currency_id), false)
    FROM wallet WHERE {_IN_SCOPE.format(wallet="id")} ORDER BY id
"""  # noqa: S608 - as above
_SNAPSHOTS_SQL: Final = """
    SELECT snapshot.house_account_id, snapshot.most, coalesce(held.row_count, 0)
    FROM (SELECT house_account_id, max(row_count) AS most FROM house_snapshot GROUP BY 1) AS snapshot
    LEFT JOIN (SELECT house_account_id, count(*) AS row_count FROM wallet_transaction GROUP BY 1) AS held
        USING (house_account_id)
    WHERE snapshot.most > coalesce(held.row_count, 0) AND (
        %(partner)s::bigint IS NULL
        OR house_account_id IN (SELECT id FROM house_account WHERE partner_id = %(partner)s)
    ) ORDER BY 1
"""
_INTO_THE_WALLET: Final = frozenset({
    Kind.DEPOSIT.value, Kind.REWARD.value, Kind.REFUND.value, Kind.REFILL.value,
})  # fmt: skip
_OUT_OF_THE_WALLET: Final = frozenset({Kind.WITHDRAWAL.value, Kind.BET.value})
_DAY_US: Final = 24 * 3600 * 1_000_000


class _Holder(NamedTuple):
    """A wallet's row."""

    id: int
    house_account_id: int
    balance: Decimal
    row_count: int
    head: bytes
    is_play: bool
    """Whether its currency is play money."""


def wallet_scope_sql(wallet: str) -> str:
    """Return an SQL condition: the wallet in that column belongs to the partner `%(partner)s`; NULL means all
    partners."""
    return _IN_SCOPE.format(wallet=wallet)


def ledger_check(*, partner_id: int | None = None) -> Check:
    """Check the movements of every wallet, or of a partner's, in order; reports the first fault of each wallet.

    It streams both tables. The caller has opened `one_moment` (apps/core/database_snapshot.py). `checked` counts
    movements.
    """
    transaction_require()
    checked = 0
    findings: list[Finding] = []
    for wallet_id, holder, movements in _wallets_with_movements(partner_id):
        counted, finding = _wallet_check(wallet_id, holder, movements)
        checked += counted
        if finding is not None:
            findings.append(finding)
    return Check(checked, findings)


def snapshots_check(*, partner_id: int | None = None) -> list[Finding]:
    """Return the house accounts, of all partners or one, with fewer movements than an earlier snapshot counted."""
    with connection.cursor() as cursor:
        cursor.execute(_SNAPSHOTS_SQL, {"partner": partner_id})
        return [
            Finding(
                f"house account {account}",
                f"a snapshot counted {counted(most, 'movement')}, and only {held} {'is' if held == 1 else 'are'} there",
            )
            for account, most, held in cursor.fetchall()
        ]


def _wallets_with_movements(partner_id: int | None) -> Iterator[tuple[int, _Holder | None, Iterable[Movement]]]:
    """Yield each wallet with its movements by ascending id, merging the two tables while streaming."""
    scope = {"partner": partner_id}
    groups = groupby(map(Movement._make, rows_stream(_MOVEMENTS_SQL, scope)), key=attrgetter("wallet_id"))
    group = next(groups, None)
    for holder in map(_Holder._make, rows_stream(_HOLDERS_SQL, scope)):
        while group is not None and group[0] < holder.id:
            yield group[0], None, group[1]
            group = next(groups, None)
        if group is not None and group[0] == holder.id:
            yield holder.id, holder, group[1]
            group = next(groups, None)
        else:
            yield holder.id, holder, ()
    while group is not None:
        yield group[0], None, group[1]
        group = next(groups, None)


def _wallet_check(wallet_id: int, holder: _Holder | None, movements: Iterable[Movement]) -> tuple[int, Finding | None]:
    """Return the number of the wallet's movements up to the first fault, and that fault."""
    number, balance, head = 0, Decimal(0), EMPTY_HEAD
    refill_days: set[int] = set()
    for row in movements:
        where = f"wallet {wallet_id}, movement {row.number} (row {row.id})"
        if holder is None:
            return number, Finding(where, "its wallet is missing")
        if row.number > number + 1:
            return number, Finding(
                f"wallet {wallet_id}, movement {number + 1}", f"it was removed: movement {row.number} follows"
            )
        fault = _movement_fault(row, holder=holder, number=number + 1, balance=balance, head=head)
        if fault is None and row.kind == Kind.REFILL.value:
            fault = _refill_fault(row, holder, refill_days)
        if fault is not None:
            return number, Finding(where, fault)
        number, balance, head = row.number, row.balance_after, row.hash
    if holder is None:
        return number, None
    return number, _end_finding(holder, number=number, balance=balance, head=head)


def _movement_fault(row: Movement, *, holder: _Holder, number: int, balance: Decimal, head: bytes) -> str | None:
    if movement_hash(head, row) != row.hash:
        return "it was altered, or moved here from another place: it does not give its hash"
    # From here on the row's hash is right, but it may break a rule.
    if row.number != number:
        return f"it stands where movement {number} belongs"
    if not row.change.is_finite() or row.balance_after != balance + row.change:
        return "its balance is not the balance before it plus its change"
    if row.balance_after < 0:
        return "its balance is below zero"
    if not _sign_fits(row):
        return f"a {row.kind} may not change a wallet by {row.change:f}"
    if row.house_account_id != holder.house_account_id:
        return "it is booked against another house account than its wallet's"
    return None


def _refill_fault(row: Movement, holder: _Holder, days: set[int]) -> str | None:
    """Return a refill's fault; `days` are the days of the wallet's refills so far, and its own day is added."""
    if not holder.is_play:
        return "it refills a wallet that holds no play money"
    if row.round_id is not None or row.record_id is not None:
        return "a refill belongs to no round"
    day = -1 if row.ctime_us is None else row.ctime_us // _DAY_US
    if day in days:
        return "it is the second refill of its day"
    days.add(day)
    return None


def _sign_fits(row: Movement) -> bool:
    if row.kind in _INTO_THE_WALLET:
        return row.change > 0
    if row.kind in _OUT_OF_THE_WALLET:
        return row.change < 0
    return row.kind == Kind.ADJUSTMENT.value and row.change != 0 and row.reason != ""


def _end_finding(holder: _Holder, *, number: int, balance: Decimal, head: bytes) -> Finding | None:
    """Return the difference between the wallet's row and its movements, if any."""
    if holder.row_count > number:
        return Finding(
            f"wallet {holder.id}, movement {number + 1}", f"it was removed: the wallet counts {holder.row_count}"
        )
    where = f"wallet {holder.id}"
    if holder.row_count < number:
        return Finding(where, f"it counts {counted(holder.row_count, 'movement')}, and {number} are there")
    if holder.balance != balance:
        return Finding(where, f"its balance is {holder.balance:f}, and its movements give {balance:f}")
    if holder.head != head:
        return Finding(where, "its head is not the hash of its newest movement")
    return None
