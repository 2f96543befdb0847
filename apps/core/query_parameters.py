"""The query parameters of the back office's pages. Any other parameter is refused by name.

A view declares its parameters with `takes_query`, or its admin with `page_parameters`; a view without a declaration
accepts none. `OfficeSite.admin_view` checks them before each view.
"""

from collections.abc import Callable, Collection
from typing import Any, Final, TypeVar

from django.http import QueryDict

from apps.core.errors import BadRequest

MAX_NAMED_CHARS: Final = 80
MAX_PAGE_DIGITS: Final = 9

_View = TypeVar("_View", bound=Callable[..., Any])
_MARK: Final = "query_parameters"


def takes_query(*names: str) -> Callable[[_View], _View]:
    """Let a view accept these parameters, each at most once."""

    def mark(view: _View) -> _View:
        setattr(view, _MARK, frozenset(names))
        return view

    return mark


def checks_query(view: _View) -> _View:
    """Mark a view that calls `query_check` itself, because its parameters depend on the viewer."""
    setattr(view, _MARK, None)
    return view


def parameters_of(view: Callable[..., Any]) -> frozenset[str] | None:
    """Return the parameters of the view, or None if it checks its query itself."""
    admin = getattr(view, "__self__", None)
    of_admin: frozenset[str] = getattr(admin, "page_parameters", frozenset())
    names: frozenset[str] | None = getattr(view, _MARK, of_admin)
    return names


def query_check(query: QueryDict, names: Collection[str]) -> None:
    """Refuse a parameter that is not in `names`, a repeated parameter, and text that PostgreSQL cannot store.

    Raises BadRequest with the parameter as its field.
    """
    for name, values in query.lists():
        if name not in names:
            raise parameter_refused(name, "there is no such parameter here")
        if len(values) > 1:
            raise parameter_refused(name, "the parameter is given more than once")
        if any("\0" in value for value in values):
            raise parameter_refused(name, "the value holds a NUL character")


def page_check(name: str, text: str | None) -> None:
    """Refuse an invalid page number. Raises BadRequest."""
    if text is None:
        return
    is_number = text.isascii() and text.isdecimal() and len(text) <= MAX_PAGE_DIGITS
    if not is_number or int(text) < 1:
        raise parameter_refused(name, "this is no page number")


def parameter_refused(name: str, why: str) -> BadRequest:
    """Return the refusal of a parameter or of its value. A long name is shortened."""
    shown = name if len(name) <= MAX_NAMED_CHARS else f"{name[:MAX_NAMED_CHARS]}..."
    return BadRequest(f"{shown}: {why}", field=shown)
