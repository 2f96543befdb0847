"""Single-use forms: each form does its act once, even after further clicks, reloads and submissions.

The page of a form has a random token. The answer is stored under it in the transaction of the act, so the same form
gets the first answer, and a form that was sent with other content is refused.

Three buttons have no such form, because pressing one twice does no more than once: "Run reconciliation" only reads and
keeps what it found, a saved filter is replaced by the same filter, and a removed one is not there any more.
"""

from typing import Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.crypto import salted_hmac

from apps.accounts.selectors import log_in_of
from apps.approvals.factor import factor_time
from apps.approvals.models import Approval, ApprovalStatus
from apps.approvals.services import act_or_ask
from apps.core import json
from apps.core.errors import IdempotencyKeyReused
from apps.core.form_acts import FormAct, form_token
from apps.idempotency.services import answer_once, answer_once_after, body_hash

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

    token = form_token(request)
    once = answer_once_after if act.commits_itself else answer_once
    scope = f"office:{log_in_of(request).pk}:{request.path}"
    try:
        stored = once(scope=scope, key=token, body_hash=_content_hash(request), act=carry_out)
    except IdempotencyKeyReused:
        raise IdempotencyKeyReused("this form was sent before with other content: load the page again") from None
    if shown:
        return shown[0]
    first = json.decode_object(stored)
    messages.success(request, str(first["done"]) or SENT_BEFORE)
    return HttpResponseRedirect(str(first["location"]))


def _content_hash(request: HttpRequest) -> bytes:
    """Return a hash of the sent content, with the server's key: a form may have a password, which a plain hash would
    reveal."""
    content = {name: values for name, values in request.POST.lists() if name != "csrfmiddlewaretoken"}
    return salted_hmac("office form", body_hash(content), algorithm="sha256").digest()
