"""The page of accesses of staff."""

from collections.abc import Sequence
from typing import Any, cast

from django.contrib import admin
from django.utils.safestring import SafeString
from unfold.decorators import display

from apps.core.admin import AppendOnlyAdmin
from apps.core.filters import ChoiceFilter, DayRangeFilter, PartnerKeyFilter
from apps.core.office_html import link_html
from apps.core.staff_scope import AUDITOR, OPERATOR
from apps.core.subjects import partners_load
from apps.staff_access.models import StaffAccess


@admin.register(StaffAccess)
class StaffAccessAdmin(AppendOnlyAdmin):
    partner_path = "partner_id"
    readers = frozenset({AUDITOR, OPERATOR})
    list_display = ["id", "created", "log_in", "role_text", "what", "address", "page", "partner_link"]
    fields = list_display
    list_filter = [("ctime", DayRangeFilter), ("kind", ChoiceFilter), PartnerKeyFilter]
    search_fields = ["username", "address"]

    def page_rows_load(self, rows: Sequence[Any]) -> None:
        partners_load(rows)

    @display(description="log-in", ordering="username")
    def log_in(self, row: StaffAccess) -> SafeString:
        return link_html("accounts_user", row.user_id, row.username)

    @display(description="role")
    def role_text(self, row: StaffAccess) -> str:
        return row.role.replace("_", " ")

    @display(
        description="what",
        label={
            "failed to log in": "warning",
            "locked after failed log-ins": "danger",
            "was refused": "warning",
            "logged in": "success",
            "exported": "info",
        },
    )
    def what(self, row: StaffAccess) -> str:
        return row.get_kind_display()

    @display(description="partner")
    def partner_link(self, row: Any) -> SafeString | str:
        return cast("SafeString | str", row.partner_shown)
