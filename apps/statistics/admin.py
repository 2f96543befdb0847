"""Partners' time zones, whose days have statistics of their own beside those of UTC."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from unfold.decorators import display

from apps.core.actor_names import shown_actor
from apps.core.admin import OfficeAdmin, sent, viewer_of
from apps.core.filters import RelatedFilter
from apps.statistics.forms import ZoneForm
from apps.statistics.models import PartnerZone
from apps.statistics.services import partner_zone_set


@admin.register(PartnerZone)
class PartnerZoneAdmin(OfficeAdmin):
    """A partner's time zones; each applies from its first day until the next one's."""

    partner_path = "partner_id"
    list_display = ["id", "partner", "zone", "first_day", "who", "created"]
    list_select_related = ["partner"]
    list_filter = [("partner", RelatedFilter)]
    fields = list_display
    add_words = "Choose a time zone"

    @display(description="from day", ordering="from_day")
    def first_day(self, row: PartnerZone) -> str:
        return row.from_day.isoformat()

    @display(description="by")
    def who(self, row: PartnerZone) -> str:
        return shown_actor(row.by)

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
