"""The names of people, as far as a viewer may know them: viewers of one partner know those of its own log-ins alone.

Everybody else is "platform staff" to them, on each page and in each file. The back office's site says whose page it is
(`actor_names_for`), as Django is told whose language it is; what shows a name asks `actor_told`.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any, Final, TypeVar

from django.contrib.auth import get_user_model

from apps.core.viewers import may_enter, sees_all_partners

PLATFORM_STAFF: Final = "platform staff"
_NO_PERSONS: Final = ("", "-", "platform", "the platform")
_NO_PERSONS_BEGIN: Final = ("API key ", "partner ", "player ")
"""A username has no space."""

_T = TypeVar("_T")
_names: ContextVar[Callable[[str], str] | None] = ContextVar("names of people", default=None)


class _NamesOfPartner:
    """The names that viewers of a partner know. The partner's log-ins are read with the first name."""

    def __init__(self, partner_id: int | None) -> None:
        self._partner_id = partner_id

    def __call__(self, actor: str) -> str:
        is_known = actor in _NO_PERSONS or actor.startswith(_NO_PERSONS_BEGIN) or actor in self._own
        return actor if is_known else PLATFORM_STAFF

    @cached_property
    def _own(self) -> frozenset[str]:
        if self._partner_id is None:
            return frozenset()
        users = get_user_model()._default_manager.filter(partner_id=self._partner_id)
        return frozenset(users.values_list("username", flat=True))


def actor_told(actor: object, *, partner_id: int | None = None) -> str:
    """Return who it was, in the words of the viewer whose page this is.

    Where it is nobody's page, as in a partner's API, it is told as to a viewer of this partner.
    """
    return (_names.get() or _NamesOfPartner(partner_id))(str(actor))


@contextmanager
def actor_names_for(viewer: Any) -> Iterator[None]:
    """Tell names in the block as this viewer, who may not be logged in, may know them."""
    knows_all = may_enter(viewer) and sees_all_partners(viewer)
    token = _names.set(str if knows_all else _NamesOfPartner(getattr(viewer, "partner_id", None)))
    try:
        yield
    finally:
        _names.reset(token)


def names_kept(lines: Iterable[_T]) -> Iterator[_T]:
    """Go through lines that are made after the block has ended, and tell names in them as now."""
    return _with_names(iter(lines), _names.get())


def _with_names(lines: Iterator[_T], names: Callable[[str], str] | None) -> Iterator[_T]:
    while True:
        token = _names.set(names)
        try:
            line = next(lines)
        except StopIteration:
            return
        finally:
            _names.reset(token)
        yield line
