"""Partners' time zones, whose days have statistics of their own beside those of UTC."""

from collections.abc import Collection
from datetime import UTC
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.safestring import SafeString
from unfold.decorators import action, display

from apps.core.actor_names import shown_actor
from apps.core.admin import OfficeAdmin, ReasonForm, sent, viewer_of
from apps.core.filters import RelatedFilter
from apps.core.office_html import time_html
from apps.statistics.forms import ZoneForm
from apps.statistics.models import PartnerZone
from apps.statistics.services import partner_zone_set, partner_zone_withdraw

WAITING: Final = "waiting"
BEGUN: Final = "begun"
WITHDRAWN: Final = "withdrawn"


def zone_state(row: PartnerZone) -> str:
    """Return whether the time zone waits for its first day, has begun, or was withdrawn before."""
    if row.withdrawn_at is not None:
        return WITHDRAWN
    # The trigger `partner_zone_guard` has the same condition.
    now = timezone.now()
    return WAITING if row.from_day > max(now.astimezone(each).date() for each in (UTC, ZoneInfo(row.zone))) else BEGUN


@admin.register(PartnerZone)
class PartnerZoneAdmin(OfficeAdmin):
    """A partner's time zones; each applies from its first day until the next one's. One that has not begun can be
    withdrawn."""

    partner_path = "partner_id"
    list_display = ["id", "partner", "zone", "first_day", "state", "who", "created"]
    list_select_related = ["partner"]
    list_filter = [("partner", RelatedFilter)]
    fields = [*list_display, "withdrawn", "withdrawer", "withdrawn_reason"]
    actions_detail = ["withdraw"]
    add_words = "Choose a time zone"

    def hidden_actions(self, row: PartnerZone) -> Collection[str]:
        return [] if zone_state(row) == WAITING else ["withdraw"]

    @display(description="from day", ordering="from_day")
    def first_day(self, row: PartnerZone) -> str:
        return row.from_day.isoformat()

    @display(description="by")
    def who(self, row: PartnerZone) -> str:
        return shown_actor(row.by)

    @display(description="state", label={WAITING: "warning", BEGUN: "success", WITHDRAWN: "info"})
    def state(self, row: PartnerZone) -> str:
        return zone_state(row)

    @display(description="withdrawn (UTC)")
    def withdrawn(self, row: PartnerZone) -> SafeString:
        return time_html(row.withdrawn_at)

    @display(description="withdrawn by")
    def withdrawer(self, row: PartnerZone) -> str:
        return shown_actor(row.withdrawn_by or "-")

    @action(description="Withdraw", icon="undo", permissions=["configure"])
    def withdraw(self, request: HttpRequest, object_id: str) -> HttpResponse:
        row: PartnerZone = self.object_or_404(request, object_id)
        return self.action_form_view(
            request,
            obj=row,
            title=f"Withdraw {row}",
            form=ReasonForm(sent(request)),
            call=lambda data: partner_zone_withdraw(
                chosen=row, actor=request.user.get_username(), actor_user_id=request.user.pk, **data
            ),
            done="The time zone is withdrawn. The partner's days stay as they are.",
            note=f"{row.zone} would begin on {row.from_day}. The row stays in this list, as withdrawn.",
            extra={"submit": "Withdraw the time zone"},
        )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_configure_permission(request)

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Choose a time zone from a coming day on."""
        self.add_permission_require(request)
        return self.action_form_view(
            request,
            title="Time zone of a partner's days",
            form=ZoneForm(sent(request), viewer=viewer_of(request)),
            call=lambda data: partner_zone_set(
                **data, actor=request.user.get_username(), actor_user_id=request.user.pk
            ),
            done="The time zone is saved. It begins with the first day that was chosen.",
            note="Days of the statistics and of reports end at midnight there. Those of UTC are kept too.",
        )
