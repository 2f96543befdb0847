"""The audit trail: who did what to what, and how it was before and after."""

from collections.abc import Sequence
from typing import Any, Final, cast

from django.apps import apps
from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import display

from apps.audit.models import AuditEntry
from apps.audit.services import APPROVAL
from apps.core.actor_names import shown_actor
from apps.core.admin import AppendOnlyAdmin
from apps.core.filters import DayRangeFilter, PartnerKeyFilter
from apps.core.office_html import act_in_words, data_html, link_html
from apps.core.staff_scope import AUDITOR, OPERATOR
from apps.core.subjects import changes_html, links_load, subject_html

_PERSONS: Final = ("asked_by",)
"""The names of data that hold the name of a person."""
_SUBJECTS: Final = ("of",)
"""The names of data that hold the subject of an act, as those of decisions on it."""


@admin.register(AuditEntry)
class AuditEntryAdmin(AppendOnlyAdmin):
    partner_path = "partner_id"
    readers = frozenset({AUDITOR, OPERATOR})
    list_display = ["id", "created", "who", "action_text", "subject_link", "partner_link", "reason"]
    list_filter = [("ctime", DayRangeFilter), PartnerKeyFilter]
    search_fields = ["actor", "action", "subject"]
    person_columns = frozenset({"actor"})
    fields = [
        "id", "created", "who", "second_person", "action_text", "subject_link", "partner_link", "reason", "changes",
        "details",
    ]  # fmt: skip

    @display(description="actor")
    def who(self, entry: AuditEntry) -> str:
        return shown_actor(entry.actor)

    @display(description="approved by")
    def second_person(self, entry: AuditEntry) -> SafeString | str:
        """Name who approved the act, and lead to the approval. Its app is above this one, so its model is found by its
        name."""
        approvals = apps.get_model("approvals.Approval")._default_manager.select_related("decided_by")
        approval: Any = approvals.filter(pk=entry.data.get(APPROVAL)).first()
        if approval is None:
            return "-"
        link = link_html("approvals_approval", approval.pk, f"approval {approval.pk}")
        return format_html("{}, {}", shown_actor(approval.decided_by), link)

    @display(description="act", ordering="action")
    def action_text(self, entry: AuditEntry) -> str:
        return act_in_words(entry.action)

    def page_rows_load(self, rows: Sequence[Any]) -> None:
        links_load(rows)

    @display(description="subject", ordering="subject")
    def subject_link(self, entry: Any) -> SafeString | str:
        return cast("SafeString | str", entry.subject_shown)

    @display(description="partner")
    def partner_link(self, entry: Any) -> SafeString | str:
        return cast("SafeString | str", entry.partner_shown)

    @display(description="before and after")
    def changes(self, entry: AuditEntry) -> SafeString:
        return changes_html(entry.data.get("before"), entry.data.get("after"))

    @display(description="all data")
    def details(self, entry: AuditEntry) -> SafeString:
        told = {name: value for name, value in entry.data.items() if name not in ("before", "after", APPROVAL)}
        named = {name: shown_actor(told[name]) for name in _PERSONS if name in told}
        subjects = {name: subject_html(told[name]) for name in _SUBJECTS if name in told}
        return data_html(told | named, shown=subjects)
