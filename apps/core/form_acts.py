"""The hidden fields of the back office's forms (single-use token, version), and the act of a valid form."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from django.http import HttpRequest, HttpResponse

from apps.core.errors import BadRequest

FORM_TOKEN: Final = "form_token"  # noqa: S105 - the name of a field
"""The hidden field that makes a form single-use."""
FORM_VERSION: Final = "form_version"
"""The hidden field with the version of the row that the page of the form showed."""


@dataclass(frozen=True, slots=True)
class FormAct:
    """The act of a form that was sent and is valid."""

    call: Callable[[], object]
    back: str
    done: str
    commits_itself: bool


class FormSite(Protocol):
    """The admin site, which carries out the acts of forms (`apps.office.site`)."""

    def form_answer(self, request: HttpRequest, act: FormAct) -> HttpResponse:
        """Carry out the act once for each form and return its answer. Raises DomainError."""

    def form_answered(self, request: HttpRequest) -> HttpResponse | None:
        """Return the first answer of a form that was sent before, else None. Raises DomainError."""


def form_token(request: HttpRequest) -> str:
    """Return the single-use token of a sent form. Raises BadRequest if it has none."""
    token = request.POST.get(FORM_TOKEN, "")
    if not token:
        raise BadRequest("the form has no token: load the page again")
    return token


def version_sent(request: HttpRequest) -> int:
    """Return the version that the page of a sent form showed. Raises BadRequest."""
    text = request.POST.get(FORM_VERSION, "")
    if not (text.isascii() and text.isdecimal() and len(text) <= 18):
        raise BadRequest("the form does not say which version it shows: load the page again")
    return int(text)


def changed_message(has_changed: bool) -> str | None:
    """Return the message after a form was saved, if it is another than the usual one."""
    return None if has_changed else "Nothing has changed: it is saved like this already."
