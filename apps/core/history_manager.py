"""The manager of the saved versions of rows with a history (django-simple-history)."""

from functools import cache
from typing import Any

from simple_history.manager import HistoryManager


class RowHistoryManager(HistoryManager):  # type: ignore[misc]
    """Has one class for all versions. Otherwise each version that is read or saved would make a class of its own, which
    takes longer than saving it.
    """

    @classmethod
    @cache
    def from_queryset(cls, queryset_class: Any, class_name: str | None = None) -> Any:
        return super().from_queryset(queryset_class, class_name)
