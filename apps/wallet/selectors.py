"""Searches in the ledger."""

from typing import TYPE_CHECKING

from django.db.models import Value
from django.db.models.functions import Lower

from apps.wallet.models import OWN_ID_KINDS, TRANSACTION_ID, WalletTransaction

if TYPE_CHECKING:
    from django.db.models import QuerySet


def transfers_named(transaction_id: str) -> "QuerySet[WalletTransaction]":
    """Return the deposits and withdrawals that have this id with their partner, in any case of letters.

    Several partners may use the same id. The index `wallet_transaction_own_id` has them.
    """
    rows = WalletTransaction.objects.alias(own_id=TRANSACTION_ID)
    return rows.filter(own_id=Lower(Value(transaction_id)), kind__in=OWN_ID_KINDS)
