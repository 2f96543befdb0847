"""House accounts, the partners' side of the ledger: a sum, not a running balance, which every movement would lock."""

from typing import Final

from django.db import connection

# One statement reads one snapshot. A trigger keeps the wallets' balances and row counts equal to the ledger, and
# `manage.py audit` checks them, so the sum is over the wallets, not over all movements.
_TAKE_SQL: Final = """
    INSERT INTO house_snapshot (house_account_id, balance, row_count)
    SELECT account.id, -coalesce(sum(wallet.balance), 0), coalesce(sum(wallet.row_count), 0)
    FROM house_account AS account LEFT JOIN wallet ON wallet.house_account_id = account.id
    GROUP BY account.id
"""


def house_snapshots_take() -> int:
    """Store the current balance of every house account, and return their number."""
    with connection.cursor() as cursor:
        cursor.execute(_TAKE_SQL)
        return int(cursor.rowcount)
