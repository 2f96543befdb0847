"""What an approver reads of a requested act: whom it is about, and what it changes, in words.

The apps above register the words of their acts (`approval_details`), as they register the acts themselves.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar

from django.db.models import QuerySet
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from apps.approvals.models import Approval
from apps.core.office_html import act_in_words, data_html, headline, raw_data_html, table_html

Facts = Sequence[tuple[str, object]]
"""Values by the words for them."""


@dataclass(frozen=True, slots=True)
class ActDetails:
    """The facts that an approver needs, and the values that the act changes: as they are now, and after the act."""

    facts: Facts
    changes: Sequence[tuple[str, object, object]]
    balances: Sequence[tuple[str, object, object]] = ()
    """The changes that follow from the present values, so that they are known only while the act waits."""


_Asked = Mapping[str, Any]
"""The payload of a requested act."""
_About = Callable[[Sequence[_Asked]], Sequence[Facts]]
_Find = TypeVar("_Find", bound=Callable[[_Asked], ActDetails])


class _Words(NamedTuple):
    title: str
    about: _About
    find: Callable[[_Asked], ActDetails]


_WORDS: Final[dict[str, _Words]] = {}


def approval_details(act: str, title: str, about: _About) -> Callable[[_Find], _Find]:
    """Register the words of an act: a title that begins with a verb, and the function that finds the details of its
    payload.

    `about` returns whom and what each of several payloads is about; their values are a line of the list of requests. A
    list has many lines, so `about` reads the rows of all of them together.
    """

    def register(find: _Find) -> _Find:
        _WORDS[act] = _Words(title, about, find)
        return find

    return register


def about_rows(name: str, rows: "QuerySet[Any]", facts: Callable[[Any], Facts]) -> _About:
    """Return an `about` for payloads that have the key of a row as `name`: the facts of each row, with one query."""

    def about(asked: Sequence[_Asked]) -> Sequence[Facts]:
        keys = [rows.model._meta.pk.to_python(each[name]) for each in asked]
        found = rows.in_bulk(keys)
        return [facts(found[key]) if key in found else () for key in keys]

    return about


def act_title(act: str) -> str:
    """Return what is asked for, as one phrase."""
    return _WORDS[act].title if act in _WORDS else headline(act_in_words(act))


def about_lines(approvals: Sequence[Approval]) -> dict[int, SafeString | str]:
    """Return in one line whom and what each requested act is about, by the request's key.

    The number of queries does not grow with that of the requests, only with that of the kinds of acts.
    """
    lines: dict[int, SafeString | str] = {each.pk: each.subject for each in approvals}
    for act in {each.act for each in approvals} & _WORDS.keys():
        asked = [each for each in approvals if each.act == act]
        abouts = _WORDS[act].about([each.payload for each in asked])
        for each, facts in zip(asked, abouts, strict=True):
            if facts:
                line = format_html_join(", ", "{}", ((value,) for _, value in facts))
                lines[each.pk] = format_html("<span>{}</span>", line)  # on a phone a cell's parts are side by side
    return lines


def details_html(approval: Approval) -> SafeString:
    """Return the details of a requested act, with the raw payload one click away.

    The present values are shown only while the act waits: later they are not those of the decision, which the audit
    has.
    """
    if approval.act not in _WORDS:
        return data_html(approval.payload)
    details = _WORDS[approval.act].find(approval.payload)
    if approval.is_waiting:
        told = ahead_html(details, "after the approval")
    else:
        facts = table_html(("what", "value"), details.facts)
        rows = [(what, then) for what, _, then in details.changes]
        told = format_html("{}{}", facts, table_html(("what changes", "as asked for"), rows) if rows else "")
    return format_html("{}{}", told, raw_data_html(approval.payload))


def ahead_html(details: ActDetails, then: str) -> SafeString:
    """Return the details of an act that may follow, also on the form that does it at once; `then` says what with."""
    changes = table_html(("what changes", "now", then), [*details.changes, *details.balances])
    return format_html("{}{}", table_html(("what", "value"), details.facts), changes)
