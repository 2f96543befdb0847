"""The form of a slice of the statistics, and those of the evidence's acts."""

from datetime import date, timedelta
from typing import Any, Final

from django import forms
from django.db.models import QuerySet
from unfold.widgets import UnfoldAdminSelectWidget

from apps.core.admin import ReasonForm
from apps.core.models import Currency
from apps.core.staff_scope import Viewer, in_scope, sees_all_partners
from apps.core.widgets import DayInput
from apps.evidence.models import OnAlarm
from apps.evidence.selectors import StatSlice
from apps.partners.forms import PartnerField, partners_offer
from apps.partners.models import Partner
from apps.rounds.filters import STAKE_DIGITS
from apps.rounds.models import Channel, Device
from apps.rounds.registry import games

DEFAULT_DAYS: Final = 90


def _choices(pairs: Any) -> list[tuple[str, str]]:
    return [("", "all"), *pairs]


class SliceForm(forms.Form):
    """The rounds whose evidence is shown."""

    since = forms.DateField(label="From", widget=DayInput)
    until = forms.DateField(label="To", widget=DayInput)
    partner = forms.ModelChoiceField(
        Partner.objects.none(), required=False, empty_label="all", widget=UnfoldAdminSelectWidget
    )
    game = forms.ChoiceField(required=False, widget=UnfoldAdminSelectWidget)
    currency = forms.ModelChoiceField(
        Currency.objects.all(), required=False, empty_label="all", widget=UnfoldAdminSelectWidget
    )
    channel = forms.ChoiceField(choices=_choices(Channel.choices), required=False, widget=UnfoldAdminSelectWidget)
    device = forms.ChoiceField(choices=_choices(Device.choices), required=False, widget=UnfoldAdminSelectWidget)
    band = forms.TypedChoiceField(
        label="Digits of the stake",
        help_text="In smallest units: 3 is 1.00 to 9.99 EUR.",
        choices=_choices((str(band), str(band)) for band in STAKE_DIGITS),
        coerce=int,
        empty_value=None,
        required=False,
        widget=UnfoldAdminSelectWidget,
    )

    def __init__(self, *args: Any, viewer: Viewer, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.viewer = viewer
        self.fields["game"].choices = _choices((game.id, game.title) for game in games())  # type: ignore[attr-defined]
        if not sees_all_partners(viewer):
            del self.fields["partner"]
            return
        field = self.fields["partner"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = Partner.objects.all()

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        since, until = data.get("since"), data.get("until")
        if since and until and until < since:
            self.add_error("until", "the later day second")
        return data

    def wanted(self) -> StatSlice:
        """Return the slice within the viewer's scope."""
        data = self.cleaned_data
        partner = data.get("partner")
        partners: list[int] | None = None
        if partner is not None:
            partners = [partner.pk]
        elif not sees_all_partners(self.viewer):
            partners = list(_partners_of(self.viewer).values_list("pk", flat=True))
        return StatSlice(
            partners=partners,
            game=data["game"] or None,
            currency=None if data["currency"] is None else data["currency"].pk,
            channel=data["channel"] or None,
            device=data["device"] or None,
            band=data["band"],
            since=data["since"],
            until=data["until"],
        )


def slice_defaults(today: date) -> dict[str, Any]:
    """Return the form's initial values."""
    return {"since": (today - timedelta(days=DEFAULT_DAYS - 1)).isoformat(), "until": today.isoformat()}


class PublicationForm(forms.Form):
    """The form of a partner's choice whether its rounds are in the public RTPs."""

    partner = PartnerField()
    is_allowed = forms.TypedChoiceField(
        label="Its rounds are",
        choices=[("yes", "in the public RTPs"), ("no", "not in the public RTPs")],
        coerce=lambda text: text == "yes",
        widget=UnfoldAdminSelectWidget,
    )

    def __init__(self, *args: Any, viewer: Viewer, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        partners_offer(self, _partners_of(viewer))


class OnAlarmForm(ReasonForm):
    """The form of what an alarm does to a pay table."""

    on_alarm = forms.TypedChoiceField(
        label="An alarm", choices=OnAlarm.choices, coerce=OnAlarm, widget=UnfoldAdminSelectWidget
    )

    field_order = ["on_alarm", "reason"]


def _partners_of(viewer: Viewer) -> "QuerySet[Partner]":
    return in_scope(Partner.objects.all(), viewer=viewer, partner_path="id")
