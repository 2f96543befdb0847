"""Searches in the ledger."""

from django.db.models import Value
from django.db.models.functions import Lower

from apps.wallet.models import OWN_ID_KINDS, TRANSACTION_ID, WalletTransaction


def transfer_ids_named(transaction_id: str) -> list[int]:
    """Return the ids of the deposits and withdrawals that have this id with their partner, in any case of letters.

    Several partners may use the same id. The index `wallet_transaction_own_id` has them. The ids are read at once: as a
    part of a list's sorted query, PostgreSQL would read all transfers in the order of the list.
    """
    rows = WalletTransaction.objects.alias(own_id=TRANSACTION_ID)
    found = rows.filter(own_id=Lower(Value(transaction_id)), kind__in=OWN_ID_KINDS)
    return list(found.order_by().values_list("pk", flat=True))
