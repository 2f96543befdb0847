"""Acts that wait for a second person, and the decisions on them."""

from collections.abc import Collection, Sequence
from typing import Any, Final

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.dataclasses import UnfoldAction
from unfold.decorators import action, display
from unfold.enums import ActionVariant

from apps.approvals.details import about_lines, act_title, details_html
from apps.approvals.models import EXPIRED, Approval, ApprovalStatus
from apps.approvals.second_factor import FACTOR_NOTE, factor_time
from apps.approvals.services import NOT_ANY_MORE, approval_approve, approval_reject, factor_is_recent, may_ask
from apps.core.actor_names import shown_actor
from apps.core.admin import OfficeAdmin, ReasonForm, sent
from apps.core.filters import NamedFilter
from apps.core.office_html import time_html
from apps.core.staff_scope import AUDITOR, OPERATOR

OWN: Final = "You have asked for this yourself: another operator approves or rejects it. You can withdraw it."
ANOTHERS: Final = "Another operator has asked for this, and alone can withdraw it. You can approve or reject it."


class StateFilter(NamedFilter):
    """Filters acts by their outcome. The row of an expired one still says "waiting", because nobody decides on it any
    more."""

    title = "status"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [*ApprovalStatus.choices, (EXPIRED, EXPIRED)]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        match self.value():
            case None | "":
                return queryset
            case ApprovalStatus.WAITING:
                return queryset.filter(status=ApprovalStatus.WAITING, expires_at__gt=timezone.now())
            case value if value == EXPIRED:
                return queryset.filter(status=ApprovalStatus.WAITING, expires_at__lte=timezone.now())
            case value:
                return queryset.filter(status=value)


@admin.register(Approval)
class ApprovalAdmin(OfficeAdmin):
    partner_path = "partner_id"
    readers = frozenset({AUDITOR, OPERATOR})
    list_display = ["id", "asked", "asker", "act_text", "about", "why", "state", "decider"]
    list_select_related = ["asked_by", "decided_by"]
    list_filter = [StateFilter]
    fields = [
        "id", "act_text", "details", "reason", "why", "asker", "asked", "expires", "state",
        "decider", "decided", "decided_reason",
    ]  # fmt: skip
    actions_detail = ["approve", "reject", "withdraw"]
    change_form_outer_before_template = "office/approval_start.html"

    def hidden_actions(self, row: Approval) -> Collection[str]:
        return [] if row.is_waiting else self.actions_detail

    def get_actions_detail(self, request: HttpRequest, object_id: int) -> list[UnfoldAction]:
        """Offer the one who asked only to withdraw, and others only to decide."""
        row = self.get_object(request, unquote(str(object_id)))
        is_own = row is not None and row.asked_by_id == request.user.pk
        hidden = {f"approvals_approval_{name}" for name in (("approve", "reject") if is_own else ("withdraw",))}
        return [each for each in super().get_actions_detail(request, object_id) if each.action_name not in hidden]

    def no_form_note(self, request: HttpRequest, row: Approval, name: str) -> str:
        state = row.state_at(timezone.now())
        if state == EXPIRED:
            return (
                f"This has expired: nobody decided on it until {row.expires_at:%Y-%m-%d %H:%M} UTC. Nothing was done."
                " Whoever still needs it asks again."
            )
        if state != ApprovalStatus.WAITING:
            return f"This is {state} already: by {self.decider(row)}, {row.decided_at:%Y-%m-%d %H:%M} UTC."
        is_own = row.asked_by_id == request.user.pk
        if is_own != (name == "withdraw"):
            return OWN if is_own else ANOTHERS
        if name == "approve" and not may_ask(row.asked_by):
            return f"{self.asker(row)}, who asked for this, {NOT_ANY_MORE}."
        return ""

    @display(description="asked (UTC)", ordering="ctime")
    def asked(self, row: Approval) -> SafeString:
        return time_html(row.ctime)

    @display(description="expires (UTC)")
    def expires(self, row: Approval) -> SafeString:
        return time_html(row.expires_at)

    @display(description="decided (UTC)")
    def decided(self, row: Approval) -> SafeString:
        return time_html(row.decided_at)

    @display(description="asked by")
    def asker(self, row: Approval) -> str:
        return shown_actor(row.asked_by)

    @display(description="decided by")
    def decider(self, row: Approval) -> str:
        return shown_actor(row.decided_by or "-")

    @display(description="act")
    def act_text(self, row: Approval) -> str:
        return act_title(row.act)

    def page_rows_load(self, rows: Sequence[Any]) -> None:
        lines = about_lines(rows)
        for row in rows:
            row.about_line = lines[row.pk]

    @display(description="about")
    def about(self, row: Any) -> SafeString | str:
        line: SafeString | str = row.about_line
        return line

    @display(description="what it does")
    def details(self, row: Approval) -> SafeString:
        return details_html(row)

    @display(
        description="status",
        label={
            "waiting": "warning",
            "approved": "success",
            "rejected": "danger",
            "withdrawn": "info",
            "expired": "info",
        },
    )
    def state(self, row: Approval) -> str:
        return row.state_at(timezone.now())

    @action(description="Approve", icon="verified", permissions=["operate"])
    def approve(self, request: HttpRequest, object_id: str) -> HttpResponse:
        row: Approval = self.object_or_404(request, object_id)
        return self._decision_page(request, row, "Approve", "It is approved, and done.", approve=True)

    @action(description="Reject", icon="block", variant=ActionVariant.DANGER, permissions=["operate"])
    def reject(self, request: HttpRequest, object_id: str) -> HttpResponse:
        row: Approval = self.object_or_404(request, object_id)
        return self._decision_page(request, row, "Reject", "It is rejected, and not done.", approve=False)

    @action(description="Withdraw the request", icon="undo", permissions=["operate"])
    def withdraw(self, request: HttpRequest, object_id: str) -> HttpResponse:
        row: Approval = self.object_or_404(request, object_id)
        return self._decision_page(request, row, "Withdraw", "It is withdrawn, and not done.", approve=False)

    def _decision_page(
        self, request: HttpRequest, row: Approval, verb: str, done: str, *, approve: bool
    ) -> HttpResponse:
        def call(data: dict[str, Any]) -> object:
            if approve:
                return approval_approve(operator=request.user, approval=row, factor_at=factor_time(request), **data)
            return approval_reject(operator=request.user, approval=row, **data)

        return self.action_form_view(
            request,
            obj=row,
            title=f"{verb}: {self.act_text(row)}",
            form=ReasonForm(sent(request)),
            call=call,
            done=done,
            note=f"It needs two persons: {row.why}. {FACTOR_NOTE if approve else ''}",
            extra={
                "details": format_html("<p>{} asks: {}</p>{}", self.asker(row), row.reason, details_html(row)),
                "submit": verb,
                "danger": not approve,
                "needs_factor": approve and not factor_is_recent(factor_time(request)),
            },
        )
