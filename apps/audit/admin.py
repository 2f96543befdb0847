"""The audit trail: who did what to what, and how it was before and after."""

from typing import Final

from django.apps import apps
from django.contrib import admin
from django.utils.safestring import SafeString
from unfold.decorators import display

from apps.audit.models import AuditEntry
from apps.core.actor_names import shown_actor
from apps.core.admin import AppendOnlyAdmin
from apps.core.filters import DayRangeFilter
from apps.core.office_html import act_in_words, data_html, link_html
from apps.core.staff_scope import AUDITOR, OPERATOR
from apps.core.subjects import changes_html, subject_html

_PERSONS: Final = ("asked_by",)
"""The names of data that hold the name of a person."""


@admin.register(AuditEntry)
class AuditEntryAdmin(AppendOnlyAdmin):
    partner_path = "partner_id"
    readers = frozenset({AUDITOR, OPERATOR})
    list_display = ["id", "created", "who", "action_text", "subject_link", "partner_link", "reason"]
    list_filter = [("ctime", DayRangeFilter)]
    search_fields = ["actor", "action", "subject"]
    person_columns = frozenset({"actor"})
    fields = ["id", "created", "who", "action_text", "subject_link", "partner_link", "reason", "changes", "details"]

    @display(description="actor")
    def who(self, entry: AuditEntry) -> str:
        return shown_actor(entry.actor)

    @display(description="act", ordering="action")
    def action_text(self, entry: AuditEntry) -> str:
        return act_in_words(entry.action)

    @display(description="subject", ordering="subject")
    def subject_link(self, entry: AuditEntry) -> SafeString | str:
        return subject_html(entry.subject)

    @display(description="partner")
    def partner_link(self, entry: AuditEntry) -> SafeString | str:
        """Name the partner. The app of partners is above this one, so its model is found by its name."""
        if entry.partner_id is None:
            return "-"
        partner = apps.get_model("partners.Partner")._default_manager.filter(pk=entry.partner_id).first()
        return "-" if partner is None else link_html("partners_partner", entry.partner_id, partner)

    @display(description="before and after")
    def changes(self, entry: AuditEntry) -> SafeString:
        return changes_html(entry.data.get("before"), entry.data.get("after"))

    @display(description="all data")
    def details(self, entry: AuditEntry) -> SafeString:
        told = {name: value for name, value in entry.data.items() if name not in ("before", "after")}
        return data_html(told | {name: shown_actor(told[name]) for name in _PERSONS if name in told})
