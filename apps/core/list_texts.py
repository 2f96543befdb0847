"""Lists in the page's language: "A, B and C"."""

from collections.abc import Sequence

from django.utils.translation import gettext


def list_text(texts: Sequence[str]) -> str:
    """Return the texts as a part of a sentence; there is at least one."""
    *others, last = texts
    return gettext("{first} and {last}").format(first=comma_list(others), last=last) if others else last


def comma_list(texts: Sequence[str]) -> str:
    """Return the texts with commas between them."""
    return gettext(", ").join(texts)


def clause_list(texts: Sequence[str]) -> str:
    """Return longer texts, which may have commas of their own, with semicolons between them."""
    return gettext("; ").join(texts)
