"""The page of accesses of staff."""

from django.apps import apps
from django.contrib import admin
from django.utils.safestring import SafeString
from unfold.decorators import display

from apps.core.admin import AppendOnlyAdmin
from apps.core.filters import ChoiceFilter, DayRangeFilter
from apps.core.office_html import link_html
from apps.core.staff_scope import AUDITOR, OPERATOR
from apps.staff_access.models import StaffAccess


@admin.register(StaffAccess)
class StaffAccessAdmin(AppendOnlyAdmin):
    partner_path = "partner_id"
    readers = frozenset({AUDITOR, OPERATOR})
    list_display = ["id", "created", "log_in", "role_text", "what", "address", "page", "partner_link"]
    fields = list_display
    list_filter = [("ctime", DayRangeFilter), ("kind", ChoiceFilter)]
    search_fields = ["username", "address"]

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
    def partner_link(self, row: StaffAccess) -> SafeString | str:
        """Name the partner. The app of partners is above this one, so its model is found by its name."""
        if row.partner_id is None:
            return "-"
        partner = apps.get_model("partners.Partner")._default_manager.filter(pk=row.partner_id).first()
        return "-" if partner is None else link_html("partners_partner", row.partner_id, partner)
