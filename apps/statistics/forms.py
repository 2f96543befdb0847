"""The form of a partner's time zone."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import available_timezones

from django import forms
from unfold.widgets import UnfoldAdminTextInputWidget

from apps.core.staff_scope import Viewer, in_scope
from apps.core.widgets import DayInput
from apps.partners.forms import PartnerField, partners_offer
from apps.partners.models import Partner


class ZoneForm(forms.Form):
    """A partner, a time zone, and the first day of it."""

    partner = PartnerField()
    zone = forms.CharField(
        max_length=60,
        widget=UnfoldAdminTextInputWidget,
        help_text="A name of the time zone database, such as Europe/Berlin.",
    )
    from_day = forms.DateField(label="From the day", widget=DayInput, help_text="A day that has not begun there yet.")

    def __init__(self, *args: Any, viewer: Viewer, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        partners_offer(self, in_scope(Partner.objects.all(), viewer=viewer, partner_path="id"))
        self.fields["from_day"].initial = (datetime.now(UTC) + timedelta(days=2)).date()

    def clean_zone(self) -> str:
        zone: str = self.cleaned_data["zone"]
        if zone not in available_timezones():
            raise forms.ValidationError(f"there is no time zone {zone}")
        return zone
