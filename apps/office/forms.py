"""The forms of the reports."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from django import forms
from unfold.widgets import UnfoldAdminSelectWidget

from apps.core.staff_scope import in_scope, sees_all_partners
from apps.core.widgets import DayInput
from apps.partners.models import Partner
from apps.reports.period import UTC_NAME, Length, Period, period_to_date
from apps.statistics.models import PartnerZone

MAX_REPORT_DAYS: Final = 366
OWN_ZONE: Final = "partner"


class ReportForm(forms.Form):
    """The period and the scope of a report."""

    length = forms.ChoiceField(
        label="Period",
        choices=[
            (Length.DAY.value, "a day"),
            (Length.MONTH.value, "month to date"),
            (Length.YEAR.value, "year to date"),
            (Length.RANGE.value, "any days"),
        ],
        widget=UnfoldAdminSelectWidget,
    )
    since = forms.DateField(label="First day", required=False, widget=DayInput, help_text="Of any days alone")
    until = forms.DateField(label="Day", widget=DayInput, help_text="The last one of a period")
    zone = forms.ChoiceField(
        label="Days in",
        choices=[(UTC_NAME, "UTC"), (OWN_ZONE, "the partner's time zone")],
        widget=UnfoldAdminSelectWidget,
    )
    partner = forms.ModelChoiceField(
        Partner.objects.none(), required=False, empty_label="all", widget=UnfoldAdminSelectWidget
    )

    def __init__(self, *args: Any, viewer: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.viewer = viewer
        if not sees_all_partners(viewer):
            del self.fields["partner"]
            return
        field = self.fields["partner"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = in_scope(Partner.objects.all(), viewer=viewer, partner_path="id")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if self.errors:
            return data
        length, until, first = Length(data["length"]), data["until"], data["since"]
        if length is Length.RANGE and first is None:
            self.add_error("since", "the first day is needed")
            return data
        period = period_to_date(length, until, UTC_NAME) if length is not Length.RANGE else Period(first, until)
        if not timedelta(0) <= period.last - period.first < timedelta(days=MAX_REPORT_DAYS):
            self.add_error("until", f"a span of at most {MAX_REPORT_DAYS} days, the later day second")
        elif until.year == date.max.year:
            self.add_error("until", "this day is too far away")
        else:
            data["period"] = self._in_zone(period, data)
        return data

    def _in_zone(self, period: Period, data: dict[str, Any]) -> Period:
        """Return the days in the partner's time zone, if that was chosen."""
        if data["zone"] == UTC_NAME:
            return period
        partner_id = data["partner"].pk if data.get("partner") else self.viewer.partner_id
        chosen = PartnerZone.objects.filter(partner_id=partner_id, from_day__lte=period.last, withdrawn_at__isnull=True)
        zone = chosen.order_by("-from_day").first()
        if zone is None:
            self.add_error("zone", "there is no partner with a time zone of its own here")
            return period
        if zone.from_day > period.first:
            self.add_error("zone", f"days in {zone.zone} begin with {zone.from_day}")
        return Period(period.first, period.last, zone.zone)


class KeptReportsForm(forms.Form):
    """Which of the reports that were kept each night are listed."""

    day = forms.DateField(label="Day (UTC)", required=False, widget=DayInput)
    report = forms.ChoiceField(label="Report", required=False, widget=UnfoldAdminSelectWidget)
    partner = forms.ModelChoiceField(
        Partner.objects.none(), required=False, empty_label="any", widget=UnfoldAdminSelectWidget
    )

    def __init__(self, *args: Any, viewer: Any, reports: Iterable[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["report"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", "any"), *reports]
        if not sees_all_partners(viewer):
            del self.fields["partner"]
            return
        chosen = self.fields["partner"]
        assert isinstance(chosen, forms.ModelChoiceField)
        chosen.queryset = in_scope(Partner.objects.all(), viewer=viewer, partner_path="id")


def report_defaults() -> dict[str, Any]:
    """Return the form's initial values: this month."""
    return {
        "length": Length.MONTH.value,
        "until": datetime.now(UTC).date().isoformat(),
        "zone": UTC_NAME,
    }
