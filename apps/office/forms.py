"""The form of a report."""

from datetime import date, timedelta
from typing import Any, Final

from django import forms
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminSelectWidget

from apps.core.models import Currency
from apps.core.viewers import Viewer, in_scope, sees_all_partners
from apps.core.widgets import DayInput
from apps.office.selectors import DIMENSIONS
from apps.partners.models import Partner
from apps.rounds.registry import game_ids

REPORT_DAYS: Final = 7
MAX_REPORT_DAYS: Final = 366


class ReportForm(forms.Form):
    """The days and filters of a report."""

    since = forms.DateField(label="From", widget=DayInput)
    until = forms.DateField(label="To", widget=DayInput)
    partner = forms.ModelChoiceField(
        Partner.objects.none(), required=False, empty_label="all", widget=UnfoldAdminSelectWidget
    )
    game = forms.ChoiceField(
        choices=[("", "all"), *((game, game) for game in game_ids())], required=False, widget=UnfoldAdminSelectWidget
    )
    currency = forms.ModelChoiceField(
        Currency.objects.all(), required=False, empty_label="all", widget=UnfoldAdminSelectWidget
    )
    split = forms.MultipleChoiceField(
        label="Split by",
        choices=[(name, name) for name in DIMENSIONS],
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
    )

    def __init__(self, *args: Any, viewer: Viewer, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not sees_all_partners(viewer):
            del self.fields["partner"]
            return
        field = self.fields["partner"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = in_scope(Partner.objects.all(), viewer=viewer, partner_path="id")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        since, until = data.get("since"), data.get("until")
        if since and until and not timedelta(0) <= until - since <= timedelta(days=MAX_REPORT_DAYS):
            self.add_error("until", f"a span of at most {MAX_REPORT_DAYS} days, the later day second")
        return data


def report_defaults(today: date) -> dict[str, Any]:
    """Return the form's initial values: the last seven days, split by all."""
    return {
        "since": (today - timedelta(days=REPORT_DAYS - 1)).isoformat(),
        "until": today.isoformat(),
        "split": list(DIMENSIONS),
    }
