"""The choice of a partner and of a currency in the back office's forms.

Of several choices none is made in advance: limits in the first currency of the alphabet are not what anybody asked for.
"""

from typing import TYPE_CHECKING, Any, Final

from django import forms
from unfold.widgets import UnfoldAdminSelectWidget

from apps.core.models import Currency
from apps.partners.models import Partner

if TYPE_CHECKING:
    from django.db.models import QuerySet

CHOOSE: Final = "choose"


class PartnerField(forms.ModelChoiceField):
    """One of the partners that `partners_offer` gives to the form."""

    def __init__(self, **options: Any) -> None:
        super().__init__(Partner.objects.none(), empty_label=CHOOSE, widget=UnfoldAdminSelectWidget, **options)


class CurrencyField(forms.ModelChoiceField):
    """One of the currencies."""

    def __init__(self, **options: Any) -> None:
        super().__init__(Currency.objects.all(), empty_label=CHOOSE, widget=UnfoldAdminSelectWidget, **options)


def partners_offer(form: forms.Form, partners: "QuerySet[Partner]") -> None:
    """Offer these partners in the form. A single one is chosen in advance, and so is its default currency."""
    field = form.fields["partner"]
    assert isinstance(field, PartnerField)
    field.queryset = partners
    offered = partners[:2]
    if len(offered) == 1:
        field.empty_label = None
        form.initial["partner"] = offered[0].pk
        if isinstance(form.fields.get("currency"), CurrencyField):
            form.initial["currency"] = offered[0].default_currency_id
