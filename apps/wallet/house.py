"""The partners' side of the ledger: a sum, never a running balance that everybody would wait for."""

from typing import Final

from django.db import connection

# One statement, one snapshot. The wallets' own balances and row counts follow the ledger by trigger, and
# `manage.py audit` proves it; so the sum is over the wallets and not over all movements there ever were.
_TAKE_SQL: Final = """
    INSERT INTO house_snapshot (house_account_id, balance, row_count)
    SELECT account.id, -coalesce(sum(wallet.balance), 0), coalesce(sum(wallet.row_count), 0)
    FROM house_account AS account LEFT JOIN wallet ON wallet.house_account_id = account.id
    GROUP BY account.id
"""


def house_snapshots_take() -> int:
    """Write down what every house account holds now, and return how many there are."""
    with connection.cursor() as cursor:
        cursor.execute(_TAKE_SQL)
        return int(cursor.rowcount)
