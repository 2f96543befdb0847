"""The audit trail, read-only."""

import json

from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.decorators import display

from apps.audit.models import AuditEntry
from apps.core.admin import AppendOnlyAdmin
from apps.core.filters import DayRangeFilter
from apps.core.viewers import AUDITOR, OPERATOR


@admin.register(AuditEntry)
class AuditEntryAdmin(AppendOnlyAdmin):
    partner_path = "partner_id"
    readers = frozenset({AUDITOR, OPERATOR})
    list_display = ["id", "created", "actor", "action", "subject", "reason"]
    list_filter = [("ctime", DayRangeFilter)]
    search_fields = ["actor", "action", "subject"]
    fields = ["id", "created", "actor", "action", "subject", "reason", "details", "partner_id"]

    @display(description="data")
    def details(self, entry: AuditEntry) -> SafeString:
        """Print the data without colours: the theme's colours are inline styles, which the content policy forbids."""
        return format_html("<pre>{}</pre>", json.dumps(entry.data, indent=2, sort_keys=True))
