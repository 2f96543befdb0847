"""The names of people that a viewer may know: viewers of one partner know only those of the partner's log-ins.

They see "platform staff" in place of all other names, on each page and in each file. The back office's site sets the
viewer of a page (`shown_actors_for`), as Django sets the language of a request. Code that shows a name calls
`shown_actor`.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any, Final, TypeVar

from django.contrib.auth import get_user_model

from apps.core.staff_scope import may_enter, sees_all_partners

PLATFORM_STAFF: Final = "platform staff"
_NO_PERSONS: Final = ("", "-", "platform", "the platform")
_NO_PERSONS_BEGIN: Final = ("API key ", "partner ", "player ")
"""The beginnings of actors that are no persons. A username has no space, so none of them is one."""

_T = TypeVar("_T")
_names: ContextVar[Callable[[str], str] | None] = ContextVar("names of people", default=None)


class _NamesOfPartner:
    """The names that viewers of a partner know. The partner's log-ins are read when the first name is shown."""

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


def shown_actor(actor: object, *, partner_id: int | None = None) -> str:
    """Return the actor's name as the viewer of this page may know it.

    Without a page, as in a partner's API, the viewer is one of this partner.
    """
    return (_names.get() or _NamesOfPartner(partner_id))(str(actor))


@contextmanager
def shown_actors_for(viewer: Any) -> Iterator[None]:
    """Show names in the block as this viewer may know them. The viewer may be a visitor without a log-in."""
    knows_all = may_enter(viewer) and sees_all_partners(viewer)
    token = _names.set(str if knows_all else _NamesOfPartner(getattr(viewer, "partner_id", None)))
    try:
        yield
    finally:
        _names.reset(token)


def lines_with_names(lines: Iterable[_T]) -> Iterator[_T]:
    """Yield lines that are made after the end of the block, with names for the viewer of now."""
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
