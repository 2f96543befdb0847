"""Rows that stay from test to test, since making them takes longer than many tests do."""

from collections.abc import Callable
from contextlib import ExitStack
from copy import deepcopy
from typing import Generic, TypeVar

from django.db import connection, transaction
from pytest_django import DjangoDbBlocker

Made = TypeVar("Made")


class KeptRows(Generic[Made]):
    """Rows in a transaction that stays open while the next test needs them too.

    Each test runs in a savepoint of it, which is rolled back, and gets copies of the objects. A second set of rows is
    in a savepoint too, so that a test sees only what it asks for.
    """

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._kept: list[tuple[Made, ExitStack]] = []
        self._blocker: DjangoDbBlocker | None = None

    def fit(self, sets: int, blocker: DjangoDbBlocker) -> None:
        """Keep as many sets of rows as the test needs. Call it before the test's transaction begins."""
        self._blocker = blocker
        if self._kept and (connection.connection is None or connection.connection.closed):
            self.close()
        with blocker.unblock():
            self._lessen(sets)
            while len(self._kept) < sets:
                assert self._kept or not connection.in_atomic_block, "the test's transaction has begun"
                self._add()

    def copy(self, index: int) -> Made:
        return deepcopy(self._kept[index][0])

    def close(self) -> None:
        """Roll everything back."""
        if self._blocker is not None:
            with self._blocker.unblock():
                self._lessen(0)

    def _add(self) -> None:
        with ExitStack() as stack:
            stack.enter_context(transaction.atomic())
            stack.callback(transaction.set_rollback, True)
            made = self._make()
            connection.check_constraints()  # otherwise every test would check them when it ends
            self._kept.append((made, stack.pop_all()))

    def _lessen(self, sets: int) -> None:
        while len(self._kept) > sets:
            self._kept.pop()[1].close()
