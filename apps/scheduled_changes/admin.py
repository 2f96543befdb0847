"""Changes that take effect at a chosen time, and their outcomes."""

from collections.abc import Collection, Sequence
from typing import Any, cast

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import action, display

from apps.accounts.selectors import log_in_of
from apps.core.actor_names import shown_actor
from apps.core.admin import ReasonForm, sent
from apps.core.bulk_admin import BulkAct, BulkAdmin
from apps.core.filters import ChoiceFilter, RelatedFilter
from apps.core.office_html import act_in_words, raw_data_html, time_html
from apps.core.subjects import links_load
from apps.scheduled_changes.models import ChangeStatus, ScheduledChange
from apps.scheduled_changes.pages import change_html
from apps.scheduled_changes.services import change_withdraw


@admin.register(ScheduledChange)
class ScheduledChangeAdmin(BulkAdmin):
    """Changes are scheduled on the forms of limits, odds and rules."""

    partner_path = "partner_id"
    empty_note = 'Schedule one on the form of limits, odds or rules: fill in "Takes effect" there.'
    list_display = ["id", "applies", "partner", "what", "subject_link", "state", "asker", "scheduled"]
    list_select_related = ["partner", "asked_by"]
    list_filter = [("partner", RelatedFilter), ("status", ChoiceFilter)]
    fields = [
        "id", "partner", "what", "subject_link", "applies", "payload_text", "state", "asker", "scheduled", "ended",
        "ender", "outcome",
    ]  # fmt: skip
    actions_detail = ["withdraw"]
    bulk_acts = {
        "withdraw": BulkAct(
            "Withdraw several",
            "Withdraw the changes",
            ("change is withdrawn.", "changes are withdrawn."),
            "configure",
            lambda request, row, reason: change_withdraw(user=log_in_of(request), change=row, reason=reason),
        )
    }

    def bulk_label(self, row: Any) -> str:
        return f"{row.apply_at:%Y-%m-%d %H:%M} UTC, {row.subject_words}"

    def page_rows_load(self, rows: Sequence[Any]) -> None:
        links_load(rows)

    def hidden_actions(self, row: ScheduledChange) -> Collection[str]:
        return [] if row.status == ChangeStatus.WAITING else ["withdraw"]

    def no_form_note(self, request: HttpRequest, row: ScheduledChange, name: str) -> str:
        if row.status == ChangeStatus.WAITING:
            return ""
        return f"This change is {row.status} already: by {self.ender(row)}, {row.ended_at:%Y-%m-%d %H:%M} UTC."

    @display(description="takes effect (UTC)", ordering="apply_at")
    def applies(self, row: ScheduledChange) -> SafeString:
        return time_html(row.apply_at)

    @display(description="scheduled (UTC)", ordering="ctime")
    def scheduled(self, row: ScheduledChange) -> SafeString:
        return time_html(row.ctime)

    @display(description="ended (UTC)")
    def ended(self, row: ScheduledChange) -> SafeString:
        return time_html(row.ended_at)

    @display(description="asked by")
    def asker(self, row: ScheduledChange) -> str:
        return shown_actor(row.asked_by)

    @display(description="ended by")
    def ender(self, row: ScheduledChange) -> str:
        return shown_actor(row.ended_by or "-")

    @display(description="change of")
    def what(self, row: ScheduledChange) -> str:
        return act_in_words(row.kind)

    @display(description="configuration")
    def subject_link(self, row: Any) -> SafeString | str:
        return cast("SafeString | str", row.subject_shown)

    @display(description="what holds then")
    def payload_text(self, row: ScheduledChange) -> SafeString:
        return format_html("{}{}", change_html(row), raw_data_html(row.payload))

    @display(
        description="status",
        label={"waiting": "warning", "done": "success", "refused": "danger", "withdrawn": "info"},
    )
    def state(self, row: ScheduledChange) -> str:
        return row.status

    @action(description="Withdraw", icon="undo", permissions=["configure"])
    def withdraw(self, request: HttpRequest, object_id: str) -> HttpResponse:
        row: ScheduledChange = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=row,
            title=f"Withdraw {row}",
            form=ReasonForm(sent(request)),
            call=lambda data: change_withdraw(user=log_in_of(request), change=row, **data),
            done="The change is withdrawn. The offer stays as it is.",
            note=f"It would take effect at {row.apply_at:%Y-%m-%d %H:%M} UTC.",
            extra={"submit": "Withdraw the change"},
        )
