"""What people did, as the services wrote it down."""

from django.contrib import admin

from apps.audit.models import AuditEntry
from apps.core.admin import AppendOnlyAdmin
from apps.core.listing import DayRangeFilter
from apps.core.viewers import AUDITOR, OPERATOR


@admin.register(AuditEntry)
class AuditEntryAdmin(AppendOnlyAdmin):
    partner_path = "partner_id"
    readers = frozenset({AUDITOR, OPERATOR})
    list_display = ["id", "created", "actor", "action", "subject", "reason"]
    list_filter = [("ctime", DayRangeFilter)]
    search_fields = ["actor", "action", "subject"]
    fields = ["id", "created", "actor", "action", "subject", "reason", "data", "partner_id"]
