"""The audit trail: who did what to what, and how it was before and after."""

import re
from collections.abc import Mapping
from typing import Any, Final

from django.apps import apps
from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import display

from apps.audit.models import AuditEntry
from apps.core.admin import AppendOnlyAdmin
from apps.core.filters import DayRangeFilter
from apps.core.tables import data_html, in_words, link_html, raw_html, table_html
from apps.core.viewers import AUDITOR, OPERATOR

_SEARCHED: Final = {
    "partner": "partners_partner",
    "api key": "partners_apikey",
    "log-in": "accounts_user",
}
"""Subjects that are named by a text, and the lists that find it."""

SHORT_KEY: Final = 8
"""The characters of a long key that lists show."""

_ALIASES: Final = {"table": "game table"}
"""Subjects by another name than their model's."""

_NAMED: Final = re.compile(r"(.+?) (\S+)")


@admin.register(AuditEntry)
class AuditEntryAdmin(AppendOnlyAdmin):
    partner_path = "partner_id"
    readers = frozenset({AUDITOR, OPERATOR})
    list_display = ["id", "created", "actor", "action_text", "subject_link", "partner_link", "reason"]
    list_filter = [("ctime", DayRangeFilter)]
    search_fields = ["actor", "action", "subject"]
    fields = ["id", "created", "actor", "action_text", "subject_link", "partner_link", "reason", "changes", "details"]

    @display(description="act", ordering="action")
    def action_text(self, entry: AuditEntry) -> str:
        return in_words(entry.action.replace(".", " "))

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
        return changes_html(entry.data)

    @display(description="all data")
    def details(self, entry: AuditEntry) -> SafeString:
        return data_html({name: value for name, value in entry.data.items() if name not in ("before", "after")})


def subject_html(subject: str) -> SafeString | str:
    """Return the subject of an act as a link to its page, or to the list that finds it.

    A subject begins with the name of its model, as pages show it.
    """
    named = _NAMED.fullmatch(subject)
    if named is None:
        return subject
    kind, key = named[1].lower(), named[2]
    if kind in _SEARCHED:
        return format_html('<a href="{}?q={}">{}</a>', reverse(f"admin:{_SEARCHED[kind]}_changelist"), key, subject)
    for model in admin.site._registry:
        if str(model._meta.verbose_name).lower() == _ALIASES.get(kind, kind):
            shown = raw_html(f"{named[1]} {key[:SHORT_KEY]}" if len(key) > SHORT_KEY else subject, subject)
            return link_html(model._meta.label_lower.replace(".", "_"), key, shown)
    return subject


def changes_html(data: Mapping[str, Any]) -> SafeString:
    """Return what an act changed, a row for each value that is another one after it."""
    before, after = data.get("before") or {}, data.get("after") or {}
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    rows = [(in_words(name), _shown(before.get(name)), _shown(after.get(name))) for name in names]
    return table_html(("what", "before", "after"), rows, empty="Nothing was changed.")


def _shown(value: Any) -> object:
    match value:
        case bool():
            return "yes" if value else "no"
        case None:
            return "-"
        case Mapping():
            return SafeString(" ").join(
                format_html("<div>{}: {}</div>", in_words(name), _shown(member)) for name, member in value.items()
            )
    return value
