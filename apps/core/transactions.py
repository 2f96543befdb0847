"""Checks of the caller's transaction: a part of a use case needs one, a use case that commits by itself refuses one."""

from django.db import connection, transaction


def transaction_require() -> None:
    """Raise TransactionManagementError unless the caller has opened a transaction."""
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("this is part of a use case: call it inside its transaction")


def transaction_refuse() -> None:
    """Raise TransactionManagementError in a caller's transaction, where no use case that commits by itself may run."""
    if connection.in_atomic_block:
        raise transaction.TransactionManagementError("this use case commits by itself: call it outside a transaction")
