"""Which parameters an address of the back office takes. Whatever else is in its query is refused by name.

A view says what it takes with `takes_query`, or its admin does with `page_parameters`; a view of which nothing is said
takes nothing. `OfficeSite.admin_view` asks before each view.
"""

from collections.abc import Callable, Collection
from typing import Any, Final, TypeVar

from django.http import QueryDict

from apps.core.errors import BadRequest

MAX_NAMED_CHARACTERS: Final = 80
MAX_PAGE_DIGITS: Final = 9

_View = TypeVar("_View", bound=Callable[..., Any])
_MARK: Final = "query_parameters"


def takes_query(*names: str) -> Callable[[_View], _View]:
    """Let a view take these parameters, each once at most."""

    def mark(view: _View) -> _View:
        setattr(view, _MARK, frozenset(names))
        return view

    return mark


def checks_query(view: _View) -> _View:
    """Mark a view that calls `query_check` itself, because what it takes depends on the viewer."""
    setattr(view, _MARK, None)
    return view


def parameters_of(view: Callable[..., Any]) -> frozenset[str] | None:
    """Return what the view takes; None if it checks its query itself."""
    admin = getattr(view, "__self__", None)
    of_admin: frozenset[str] = getattr(admin, "page_parameters", frozenset())
    names: frozenset[str] | None = getattr(view, _MARK, of_admin)
    return names


def query_check(query: QueryDict, names: Collection[str], *, repeatable: Collection[str] = ()) -> None:
    """Refuse a parameter that is not in `names`, one that is given twice, and text that PostgreSQL cannot hold.

    Raises BadRequest, with the parameter as its field.
    """
    for name, values in query.lists():
        if name not in names:
            raise parameter_refused(name, "this page takes no such parameter")
        if len(values) > 1 and name not in repeatable:
            raise parameter_refused(name, "the parameter is given more than once")
        if any("\0" in value for value in values):
            raise parameter_refused(name, "the value holds a NUL character")


def page_check(name: str, text: str | None) -> None:
    """Refuse what is no number of a page. Raises BadRequest."""
    if text is None:
        return
    is_number = text.isascii() and text.isdecimal() and len(text) <= MAX_PAGE_DIGITS
    if not is_number or int(text) < 1:
        raise parameter_refused(name, "this is no page number")


def parameter_refused(name: str, why: str) -> BadRequest:
    """Return the refusal of a parameter or of its value. A long name is cut: an answer does not echo at length."""
    shown = name if len(name) <= MAX_NAMED_CHARACTERS else f"{name[:MAX_NAMED_CHARACTERS]}..."
    return BadRequest(f"{shown}: {why}", field=shown)
