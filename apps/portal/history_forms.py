"""The filters of the wallet and the history. A filter that cannot be read is an error of the form, never ignored."""

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta
from typing import Any, Final

from django import forms
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from apps.rounds.models import RoundEnd
from apps.rounds.registry import games
from apps.wallet.models import Kind

DAY_FORM: Final = "%Y-%m-%d"
FIRST_DAY: Final = date(2000, 1, 1)
LAST_DAY: Final = date(2999, 12, 31)
_IS_VOID: Final = Q(how_ended=RoundEnd.VOIDED) | Q(void__isnull=False)
_HAS_RESULT: Final = ~Q(how_ended__in=[RoundEnd.OPEN, RoundEnd.VOIDED, RoundEnd.WITHDRAWN]) & Q(void__isnull=True)
_EVERY: Final = ("", _("All"))
_ENDS: Final[dict[str, tuple[Any, Q]]] = {
    "played": (_("Played to its end"), Q(how_ended=RoundEnd.PLAYED) & Q(void__isnull=True)),
    "auto_completed": (_("Played out by the platform"), Q(how_ended=RoundEnd.AUTO_COMPLETED) & Q(void__isnull=True)),
    "void": (_("Void"), _IS_VOID),
    "withdrawn": (_("Taken back before the deal"), Q(how_ended=RoundEnd.WITHDRAWN)),
    "open": (_("Still open"), Q(how_ended=RoundEnd.OPEN)),
}
_RESULTS: Final[dict[str, tuple[Any, Q]]] = {
    "won": (_("Won"), _HAS_RESULT & Q(payout__gt=F("stake"))),
    "lost": (_("Lost"), _HAS_RESULT & Q(payout__lt=F("stake"))),
    "even": (_("Broke even"), _HAS_RESULT & Q(payout=F("stake"))),
}


def _day_field(label: Any) -> forms.DateField:
    """Return a field of the browser's own calendar, which sends the same form of a date in every language."""
    return forms.DateField(
        label=label, required=False, input_formats=[DAY_FORM], widget=forms.DateInput({"type": "date"}, DAY_FORM)
    )


class PeriodFilter(forms.Form):
    """The first and the last day, in the reader's time zone; both may be empty."""

    since = _day_field(_("From"))
    until = _day_field(_("To"))

    def clean_since(self) -> date | None:
        return _day_checked(self.cleaned_data["since"])

    def clean_until(self) -> date | None:
        return _day_checked(self.cleaned_data["until"])

    def clean(self) -> dict[str, Any]:
        """Refuse a period that ends before it begins."""
        since, until = self.cleaned_data.get("since"), self.cleaned_data.get("until")
        if since and until and since > until:
            self.add_error("until", gettext("This day is before the first one."))
        return self.cleaned_data

    @property
    def is_used(self) -> bool:
        """Whether the form was sent with a filter, valid or not."""
        return bool(self.errors) or any(self.cleaned_data.values())

    def period(self, column: str) -> Q:
        """Return the condition that `column`, a time, is within the days."""
        since, until = self.cleaned_data["since"], self.cleaned_data["until"]
        within = Q()
        if since:
            within &= Q(**{f"{column}__gte": day_start(since)})
        if until:
            within &= Q(**{f"{column}__lt": day_start(until + timedelta(days=1))})
        return within


class HistoryFilter(PeriodFilter):
    """Which rounds a player wants to see."""

    game = forms.ChoiceField(label=_("Game"), required=False)
    currency = forms.ChoiceField(label=_("Currency"), required=False)
    ended = forms.ChoiceField(
        label=_("How it ended"),
        required=False,
        choices=[_EVERY, *((key, each[0]) for key, each in _ENDS.items())],
    )
    result = forms.ChoiceField(
        label=_("Result"), required=False, choices=[_EVERY, *((key, each[0]) for key, each in _RESULTS.items())]
    )
    field_order = ["game", "currency", "since", "until", "ended", "result"]

    def __init__(self, *args: Any, currencies: Iterable[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["game"].choices = [_EVERY, *((game.id, gettext(game.title)) for game in games())]  # type: ignore[attr-defined]
        self.fields["currency"].choices = [_EVERY, *((code, code) for code in currencies)]  # type: ignore[attr-defined]

    def condition(self) -> Q:
        """Return the condition for rows of `game_round`. The form must be valid."""
        wanted = self.cleaned_data
        condition = self.period("started_at")
        if wanted["game"]:
            condition &= Q(game=wanted["game"])
        if wanted["currency"]:
            condition &= Q(currency=wanted["currency"])
        if wanted["ended"]:
            condition &= _ENDS[wanted["ended"]][1]
        if wanted["result"]:
            condition &= _RESULTS[wanted["result"]][1]
        return condition


class WalletFilter(PeriodFilter):
    """Which wallet, and which of its movements, a player wants to see."""

    currency = forms.ChoiceField(label=_("Currency"), required=False)
    kind = forms.ChoiceField(label=_("Kind"), required=False)
    field_order = ["currency", "kind", "since", "until"]

    def __init__(self, *args: Any, currencies: Iterable[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["currency"].choices = [("", _("The one in play")), *((code, code) for code in currencies)]  # type: ignore[attr-defined]
        kinds = [(kind.value, gettext(str(kind.label)).capitalize()) for kind in Kind]
        self.fields["kind"].choices = [_EVERY, *kinds]  # type: ignore[attr-defined]

    def condition(self) -> Q:
        """Return the condition for rows of `wallet_transaction`. The form must be valid."""
        kind = self.cleaned_data["kind"]
        return self.period("ctime") & (Q(kind=kind) if kind else Q())


def day_start(day: date) -> datetime:
    """Return the first moment of the day in the reader's time zone."""
    return timezone.make_aware(datetime.combine(day, time.min))


def _day_checked(day: date | None) -> date | None:
    if day is not None and not FIRST_DAY <= day <= LAST_DAY:
        raise forms.ValidationError(gettext("This day is not possible."))
    return day
