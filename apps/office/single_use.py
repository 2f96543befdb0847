"""Single-use forms: each form does its act once, even after further clicks, reloads and submissions.

The page of a form has a random token. The answer is stored under it in the transaction of the act, so the same form
gets the first answer, and a form that was sent with other content is refused.

Three buttons have no such form, because pressing one twice does no more than once: "Run reconciliation" only reads and
keeps what it found, a saved filter is replaced by the same filter, and a removed one is not there any more.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TypedDict

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.crypto import salted_hmac

from apps.accounts.selectors import log_in_of
from apps.approvals.models import Approval, ApprovalStatus
from apps.approvals.second_factor import factor_time
from apps.approvals.services import act_or_ask
from apps.core import json
from apps.core.errors import IdempotencyKeyReused
from apps.core.form_acts import FormAct, form_token
from apps.idempotency.services import answer_once, answer_once_after, body_hash, stored_answer_find

WAITS: Final = "It waits for a second operator, for 24 hours."
SENT_BEFORE: Final = "This form was sent before. It has done its act once."


def form_answer(request: HttpRequest, act: FormAct) -> HttpResponse:
    """Carry out the act, unless this form has already done so, and return the answer. Raises DomainError.

    A secret that is shown once is only in the first answer: a repetition leads to the list.
    """
    shown: list[HttpResponse] = []

    def carry_out() -> bytes:
        answer = act_or_ask(
            call=act.call,
            user=request.user,
            factor_at=factor_time(request),
            commits_itself=act.commits_itself,
        )
        if isinstance(answer, Approval) and answer.status == ApprovalStatus.WAITING:
            location = reverse("admin:approvals_approval_change", args=[answer.pk])
            why = answer.why[:1].upper() + answer.why[1:].removesuffix(".")
            return json.encode({"location": location, "done": f"Nothing is done yet. {why}. {WAITS}"})
        if isinstance(answer, HttpResponse):
            shown.append(answer)
        location = answer.get("Location", act.back) if isinstance(answer, HttpResponse) else act.back
        return json.encode({"location": location, "done": answer if isinstance(answer, str) else act.done})

    once = answer_once_after if act.commits_itself else answer_once
    with _same_content():
        stored = once(**_form_key(request), act=carry_out)
    if not shown:
        return _first_answer(request, stored)
    if act.done and shown[0].has_header("Location"):
        messages.success(request, act.done)
    return shown[0]


@transaction.atomic
def form_answered(request: HttpRequest) -> HttpResponse | None:
    """Return the first answer of a form that was sent before, else None. Raises DomainError.

    Sent again, a form may be invalid because of its own act, such as one on rows that are not offered afterwards.
    """
    with _same_content():
        stored = stored_answer_find(**_form_key(request))
    return None if stored is None else _first_answer(request, bytes(stored.answer))


def _first_answer(request: HttpRequest, stored: bytes) -> HttpResponse:
    first = json.decode_object(stored)
    messages.success(request, str(first["done"]) or SENT_BEFORE)
    return HttpResponseRedirect(str(first["location"]))


@contextmanager
def _same_content() -> Iterator[None]:
    try:
        yield
    except IdempotencyKeyReused:
        raise IdempotencyKeyReused("this form was sent before with other content: load the page again") from None


class _FormKey(TypedDict):
    scope: str
    key: str
    body_hash: bytes


def _form_key(request: HttpRequest) -> _FormKey:
    scope = f"office:{log_in_of(request).pk}:{request.path}"
    return {"scope": scope, "key": form_token(request), "body_hash": _content_hash(request)}


def _content_hash(request: HttpRequest) -> bytes:
    """Return a hash of the sent content, with the server's key: a form may have a password, which a plain hash would
    reveal."""
    content = {name: values for name, values in request.POST.lists() if name != "csrfmiddlewaretoken"}
    return salted_hmac("office form", body_hash(content), algorithm="sha256").digest()
