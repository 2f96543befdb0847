"""What an approver reads of a requested act: whom it is about, and what it changes, in words.

The apps above register the words of their acts (`approval_details`), as they register the acts themselves.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeVar

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from apps.approvals.models import Approval
from apps.core.office_html import act_in_words, data_html, headline, raw_data_html, table_html


@dataclass(frozen=True, slots=True)
class ActDetails:
    """The facts that an approver needs, and the values that the act changes: as they are now, and after the act."""

    facts: Sequence[tuple[str, object]]
    """The first ones say whom and what it is about (`FACTS_IN_LINE`)."""
    changes: Sequence[tuple[str, object, object]]
    balances: Sequence[tuple[str, object, object]] = ()
    """The changes that follow from the present values, so that they are known only while the act waits."""


FACTS_IN_LINE: Final = 3
_Find = TypeVar("_Find", bound=Callable[[Mapping[str, Any]], ActDetails])


class _Words(NamedTuple):
    title: str
    find: Callable[[Mapping[str, Any]], ActDetails]


_WORDS: Final[dict[str, _Words]] = {}


def approval_details(act: str, title: str) -> Callable[[_Find], _Find]:
    """Register the words of an act: a title that begins with a verb, and the function that finds the details of its
    payload."""

    def register(find: _Find) -> _Find:
        _WORDS[act] = _Words(title, find)
        return find

    return register


def act_title(act: str) -> str:
    """Return what is asked for, as one phrase."""
    return _WORDS[act].title if act in _WORDS else headline(act_in_words(act))


def about_html(approval: Approval) -> SafeString | str:
    """Return in one line whom and what a requested act is about: its first facts."""
    if approval.act not in _WORDS:
        return approval.subject
    facts = _WORDS[approval.act].find(approval.payload).facts
    line = format_html_join(", ", "{}", ((value,) for _, value in facts[:FACTS_IN_LINE]))
    return format_html("<span>{}</span>", line)  # a list's cell on a phone has its parts beside each other


def details_html(approval: Approval) -> SafeString:
    """Return the details of a requested act, with the raw payload one click away.

    The present values are shown only while the act waits: later they are not those of the decision, which the audit
    has.
    """
    if approval.act not in _WORDS:
        return data_html(approval.payload)
    details = _WORDS[approval.act].find(approval.payload)
    facts = table_html(("what", "value"), details.facts)
    if approval.is_waiting:
        rows = [*details.changes, *details.balances]
        changes = table_html(("what changes", "now", "after the approval"), rows)
    elif not details.changes:
        changes = SafeString()
    else:
        changes = table_html(("what changes", "as asked for"), [(what, then) for what, _, then in details.changes])
    return format_html("{}{}{}", facts, changes, raw_data_html(approval.payload))
